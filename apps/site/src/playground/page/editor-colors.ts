// Colours of the field for code. Each colour has a value for light and a value for dark pages.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const words = HighlightStyle.define([
  { tag: tags.keyword, color: 'light-dark(#7a0f8a, #cf9dff)' },
  { tag: [tags.string, tags.regexp], color: 'light-dark(#9c1c1c, #ffa38f)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'light-dark(#0b5d3b, #7ad9a8)' },
  { tag: tags.comment, color: 'light-dark(#7a4a00, #d0b483)' },
  { tag: [tags.typeName, tags.className], color: 'light-dark(#0a5f73, #7fd3e6)' },
  { tag: tags.definition(tags.variableName), color: 'light-dark(#1b3fae, #a8c1ff)' },
])

const back = 'light-dark(#fff, #202127)'
const soft = 'light-dark(#f3f3f5, #2b2d35)'
const ink = 'light-dark(#222, #e6e6e0)'
const selected = { background: 'light-dark(#d4dcf5, #3c4a78)' }

const field = EditorView.theme({
  '&': { backgroundColor: back, color: ink },
  '.cm-gutters': { backgroundColor: soft, color: 'light-dark(#595960, #bcbcc4)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'light-dark(#3451b212, #a8b1ff1c)' },
  '.cm-cursor': { borderLeftColor: ink },
  '.cm-selectionBackground': selected,
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': selected,
  '.cm-tooltip': { backgroundColor: back, color: ink },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'light-dark(#3451b2, #3e63dd)',
    color: '#fff',
  },
  '.cm-panels, .cm-foldPlaceholder': { backgroundColor: soft, color: ink },
})

export const editorColors: Extension = [field, syntaxHighlighting(words)]
