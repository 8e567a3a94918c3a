"""The shapes of a picture as elements of an SVG file."""

import xml.etree.ElementTree as ElementTree
from typing import Final

INK: Final = "#1d2733"


def cut(text: str, most: int) -> str:
    """The first `most` letters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def rectangle(
    parent: ElementTree.Element,
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    fill: str,
    stroke: str | None = None,
    rx: str = "0",
    dashed: bool = False,
) -> None:
    """Adds a rectangle; rx: how round its corners are."""
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "fill": fill, "rx": rx}
    attributes |= {"width": f"{width:.1f}", "height": f"{height:.1f}"}
    if stroke is not None:
        attributes |= {"stroke": stroke, "stroke-width": "1.2"}
    if dashed:
        attributes["stroke-dasharray"] = "4 3"
    ElementTree.SubElement(parent, "rect", attributes)


def text(
    parent: ElementTree.Element,
    x: float,
    y: float,
    text: str,
    *,
    size: float = 11,
    weight: str = "normal",
    color: str = INK,
    anchor: str = "start",
) -> None:
    """Adds a line of text; y: of its base line."""
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "font-size": f"{size:g}", "fill": color}
    attributes |= {"font-weight": weight, "text-anchor": anchor}
    ElementTree.SubElement(parent, "text", attributes).text = text
