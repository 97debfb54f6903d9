import { javascript } from '@codemirror/lang-javascript'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { basicSetup, EditorView } from 'codemirror'
import type { Problem } from '../questions.ts'
import { contractHelp } from './contract-help.ts'

/** A field for code. */
export interface CodeEditor {
  /** Shows a problem at its line; none: shows none. */
  readonly showProblem: (problem: Problem | undefined) => void
  readonly remove: () => void
}

/** Makes a field for TypeScript in an element. */
export function editCode(parent: Element, code: string, onChange: (code: string) => void): CodeEditor {
  const view = new EditorView({
    parent,
    doc: code,
    extensions: [
      basicSetup,
      javascript({ typescript: true }),
      contractHelp,
      lintGutter(),
      EditorView.contentAttributes.of({ 'aria-label': 'Code of your policy' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString())
      }),
    ],
  })
  return {
    showProblem: (problem) => {
      const found = problem === undefined ? [] : marks(view, problem)
      view.dispatch(setDiagnostics(view.state, found))
      if (found.length > 0) view.dispatch({ effects: EditorView.scrollIntoView(found[0].from, { y: 'center' }) })
    },
    remove: () => view.destroy(),
  }
}

function marks({ state: { doc } }: EditorView, { message, line }: Problem) {
  if (line === undefined || line < 1 || line > doc.lines) return []
  const { from, to } = doc.line(line)
  return [{ from, to, severity: 'error' as const, message }]
}
