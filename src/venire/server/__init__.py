"""The verbs over HTTP, and pages for people.

`app` puts the server together and `serve` runs it, as `options` say, which `config_file` reads. `court/` holds state
and rules, `people/` who comes in, `api/` the calls for programs (`openapi`, `struct_schema` describe them), and
`pages/` the pages. `problems` answers errors, `bodies` and `timed_protocol` refuse what is malformed or slow, and
`demo` makes a court to look at.
"""
