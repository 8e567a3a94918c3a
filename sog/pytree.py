"""The project's decorator for structures of arrays."""

import dataclasses
from typing import TypeVar, dataclass_transform

import jax

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def pytree(cls: type[T]) -> type[T]:
    """Makes `cls` a frozen keyword-only dataclass that JAX treats as a pytree.

    Fields are leaves or subtrees. A field declared with
    `dataclasses.field(metadata={"static": True})` is part of the structure instead: it must be
    hashable, and a new value compiles a new program.
    """
    frozen = dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    fields = dataclasses.fields(frozen)  # type: ignore[arg-type]
    static = [field.name for field in fields if field.metadata.get("static")]
    data = [field.name for field in fields if field.name not in static]
    return jax.tree_util.register_dataclass(frozen, data_fields=data, meta_fields=static)
