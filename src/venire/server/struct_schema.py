"""Describes our records in the OpenAPI document, whatever their defaults are."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar.openapi.spec import Schema
from litestar.plugins import OpenAPISchemaPlugin
from litestar.plugins.core._msgspec import kwarg_definition_from_field
from litestar.types.empty import Empty
from litestar.typing import FieldDefinition


class StructSchema(OpenAPISchemaPlugin):
    """The schema of a struct. The framework's own one stumbles over defaults that hold a dictionary."""

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        """Tell whether a type is a struct."""
        return not field_definition.is_union and field_definition.is_subclass_of(msgspec.Struct)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        """Return the schema of a struct, with the defaults that are plain values."""
        hints = field_definition.get_type_hints(include_extras=True, resolve_generics=True)
        described = msgspec.inspect.type_info(field_definition.type_)
        fields = described.fields if isinstance(described, msgspec.inspect.StructType) else ()
        properties = {}
        for field in fields:
            constraints, _ = kwarg_definition_from_field(field)
            properties[field.encode_name] = FieldDefinition.from_annotation(
                annotation=hints[field.name],
                name=field.encode_name,
                default=field.default if isinstance(field.default, (bool, int, float, str)) else Empty,
                **({"kwarg_definition": constraints} if constraints else {}),
            )
        required = sorted(field.encode_name for field in fields if field.required)
        schema: Schema = schema_creator.create_component_schema(
            field_definition, required=required, property_fields=properties
        )
        return schema
