"""The verbs over HTTP, and pages for people."""
