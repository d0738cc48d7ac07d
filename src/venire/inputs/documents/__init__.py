"""Texts in files of their own: plain text, Markdown and PDF, and what a file's name says of its sample.

PDFs are parsed by `pdf_child` in a process of its own, which `pdf_reader` keeps warm and replaces.
"""
