import { javascript } from '@codemirror/lang-javascript'
import { type Diagnostic, forceLinting, linter, lintGutter } from '@codemirror/lint'
import { StateEffect, type Text } from '@codemirror/state'
import { basicSetup, EditorView } from 'codemirror'
import type { Problem } from '../questions.ts'
import { contractHelp } from './contract-help.ts'
import { TypeFaults } from './type-faults.ts'

/** The editor of a policy's code. */
export interface CodeEditor {
  /** Shows a problem at its line of the code; undefined removes the shown problem. */
  readonly showProblem: (problem: Problem | undefined) => void
  readonly remove: () => void
}

/** Effect that makes the editor show the problem of the last run again, after the problem was set. */
const ranAgain = StateEffect.define<null>()

/** Makes an editor of TypeScript in `parent`. Type errors appear a moment after the last key. */
export function editCode(parent: Element, code: string, onChange: (code: string) => void): CodeEditor {
  const types = new TypeFaults()
  /** Problem of the last run, with the text of the code in that run. */
  let ofRun: { readonly doc: Text; readonly problem: Problem | undefined } | undefined
  const problemsOf = ({ state: { doc } }: EditorView): ReadonlyArray<Diagnostic> =>
    ofRun?.doc.eq(doc) === true && ofRun.problem !== undefined ? marks(doc, ofRun.problem) : []
  const view = new EditorView({
    parent,
    doc: code,
    extensions: [
      basicSetup,
      javascript({ typescript: true }),
      contractHelp,
      linter(problemsOf, {
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((each) => each.is(ranAgain))),
      }),
      linter(async ({ state: { doc } }) => (await types.of(doc.toString())).map(marked)),
      linter(null, { delay: 300 }),
      lintGutter(),
      EditorView.contentAttributes.of({ 'aria-label': 'Code of your policy' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString())
      }),
    ],
  })
  return {
    showProblem: (problem) => {
      ofRun = { doc: view.state.doc, problem }
      view.dispatch({ effects: ranAgain.of(null) })
      forceLinting(view)
      const [found] = problemsOf(view)
      if (found !== undefined) view.dispatch({ effects: EditorView.scrollIntoView(found.from, { y: 'center' }) })
    },
    remove: () => {
      types.end()
      view.destroy()
    },
  }
}

function marked({ from, to, message }: Omit<Diagnostic, 'severity'>): Diagnostic {
  return { from, to, message, severity: 'error' }
}

function marks(doc: Text, { message, line }: Problem): ReadonlyArray<Diagnostic> {
  if (line === undefined || line < 1 || line > doc.lines) return []
  const { from, to } = doc.line(line)
  return [marked({ from, to, message })]
}
