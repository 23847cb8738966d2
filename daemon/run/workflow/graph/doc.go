// Package graph draws a workflow: its phases in order, who works in each, what
// its gates ask of whom, and where it goes back. A drawing is text, a Mermaid
// flowchart, or an SVG that stands alone: it asks for nothing, follows the
// colours of its reader, and has the text as its description for who cannot see
// it.
//
// Every form is a pure function of the workflow. Texts of the workflow are
// escaped for each form, cut where they are long, and never break its lines.
package graph
