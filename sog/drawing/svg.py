"""Shapes as SVG elements."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Final

INK: Final = "#1d2733"
SOFT: Final = "#66717e"
FONT: Final = "'DejaVu Sans',Verdana,'Segoe UI',Helvetica,Arial,sans-serif"
"""Set as an attribute: a page's security policy may forbid style sheets inside pictures."""


def document(
    title: str, width: float, height: float, *, background: str | None = "#ffffff"
) -> ElementTree.Element:
    """An empty SVG; background: None is transparent."""
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    view = {"viewBox": f"0 0 {width:.0f} {height:.0f}"}
    shared = {"xmlns": "http://www.w3.org/2000/svg", "font-family": FONT, "role": "img"}
    svg = ElementTree.Element("svg", {**shared, **view, **size})
    ElementTree.SubElement(svg, "title").text = title
    if background is not None:
        rectangle(svg, 0, 0, width, height, fill=background)
    return svg


def as_text(svg: ElementTree.Element) -> str:
    """Returns SVG text."""
    ElementTree.indent(svg)
    return ElementTree.tostring(svg, encoding="unicode", xml_declaration=True) + "\n"


def choice(
    parent: ElementTree.Element, actions: Sequence[int], name: str, *, kind: str = ""
) -> ElementTree.Element:
    """A group of shapes that stands for actions, which a page can make clickable.

    name: its tooltip. kind: an additional class. Without actions it is an ordinary group.
    """
    group = ElementTree.SubElement(parent, "g")
    kinds = [kind] if kind else []
    if actions:
        kinds.append("choice")
        group.set("data-actions", " ".join(map(str, actions)))
    if kinds:
        group.set("class", " ".join(kinds))
    ElementTree.SubElement(group, "title").text = name
    return group


def cut(text: str, most: int) -> str:
    """The first `most` letters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def tint(color: str, part: float) -> str:
    """Interpolates from white to a color."""
    channels = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(255 + (channel - 255) * part):02x}" for channel in channels)


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
    opacity: float = 1.0,
) -> None:
    """Adds a rectangle; rx: radius of its corners."""
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "fill": fill, "rx": rx}
    attributes |= {"width": f"{width:.1f}", "height": f"{height:.1f}"}
    if stroke is not None:
        attributes |= {"stroke": stroke, "stroke-width": "1.2"}
    if dashed:
        attributes["stroke-dasharray"] = "4 3"
    if opacity < 1:
        attributes["opacity"] = f"{opacity:.3f}"
    ElementTree.SubElement(parent, "rect", attributes)


def circle(
    parent: ElementTree.Element,
    x: float,
    y: float,
    radius: float,
    *,
    fill: str,
    stroke: str | None = None,
    width: float = 1.2,
    opacity: float = 1.0,
) -> None:
    """Adds a circle around (x, y); width: of its stroke."""
    attributes = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{radius:.1f}", "fill": fill}
    if stroke is not None:
        attributes |= {"stroke": stroke, "stroke-width": f"{width:g}"}
    if opacity < 1:
        attributes["fill-opacity"] = f"{opacity:.3f}"
    ElementTree.SubElement(parent, "circle", attributes)


def line(
    parent: ElementTree.Element,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    color: str,
    width: float,
    dashed: bool = False,
) -> None:
    """Adds a straight line."""
    names = ("x1", "y1", "x2", "y2")
    attributes = {name: f"{at:.1f}" for name, at in zip(names, (*start, *end), strict=True)}
    attributes |= {"stroke": color, "stroke-width": f"{width:g}"}
    if dashed:
        attributes["stroke-dasharray"] = "4 3"
    ElementTree.SubElement(parent, "line", attributes)


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
    halo: bool = False,
) -> None:
    """Adds text; y: of its baseline; halo: a white outline, for text on top of lines."""
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "font-size": f"{size:g}", "fill": color}
    attributes |= {"font-weight": weight, "text-anchor": anchor}
    if halo:
        attributes |= {"stroke": "#ffffff", "stroke-width": "3", "paint-order": "stroke"}
    ElementTree.SubElement(parent, "text", attributes).text = text
