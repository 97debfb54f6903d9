import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { javascript } from '@codemirror/lang-javascript'
import { type Diagnostic, forceLinting, linter, lintGutter } from '@codemirror/lint'
import { EditorState, type Extension, StateEffect, type Text } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import { basicSetup, EditorView } from 'codemirror'
import { types } from 'site:contract-types'
import { type Meaning, meaningOf, membersAfter } from '../contract-types.ts'
import type { Problem } from '../setup.ts'
import { typeFaults } from './compiler.ts'
import { editorColors } from './editor-colors.ts'

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
  /** Problem of the last run, with the text of the code in that run. */
  let ofRun: { readonly doc: Text; readonly problem: Problem | undefined } | undefined
  const problemsOf = ({ state: { doc } }: EditorView): ReadonlyArray<Diagnostic> =>
    ofRun?.doc.eq(doc) === true && ofRun.problem !== undefined ? marks(doc, ofRun.problem) : []
  const view = new EditorView({
    parent,
    doc: code,
    extensions: [
      editorColors,
      basicSetup,
      javascript({ typescript: true }),
      contractHelp,
      linter(problemsOf, {
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((each) => each.is(ranAgain))),
      }),
      linter(async ({ state: { doc } }) => (await typeFaults(doc.toString())).map(marked)),
      linter(null, { delay: 300 }),
      lintGutter(),
      // The field scrolls, so readers must be able to reach the field by keyboard.
      EditorView.contentAttributes.of({ 'aria-label': 'Code of your policy', tabindex: '0' }),
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
    remove: () => view.destroy(),
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

// Help in the field for a policy's code, from the types of the policy contract: a list of members after a `.`, and a
// description of the word under the pointer.

/** Lists and explains the names of the policy contract in the editor. */
export const contractHelp: Extension = [
  EditorState.languageData.of(() => [{ autocomplete: complete }]),
  hoverTooltip(({ state: { doc } }, position) => {
    const line = doc.lineAt(position)
    const start = /\w*$/.exec(line.text.slice(0, position - line.from))![0].length
    const end = /^\w*/.exec(line.text.slice(position - line.from))![0].length
    const [from, to] = [position - start, position + end]
    const meaning = meaningOf(types, doc.toString(), from, to)
    return meaning === undefined ? null : { pos: from, end: to, create: () => ({ dom: explained(meaning) }) }
  }),
]

function complete({ state, pos }: CompletionContext): CompletionResult | null {
  const code = state.doc.toString()
  const found = membersAfter(types, code, code.slice(0, pos))
  if (found === undefined) return null
  const options = found.members.map(({ name, declaration, about }) => ({
    label: name,
    type: declaration.includes('(') ? 'method' : 'property',
    detail: declaration.replace(/^\w+\??:? ?/, ''),
    info: about,
  }))
  return { from: pos - /\w*$/.exec(code.slice(0, pos))![0].length, options, validFor: /^\w*$/ }
}

function explained({ declaration, about }: Meaning): HTMLElement {
  const element = document.createElement('div')
  element.className = 'meaning'
  const code = element.appendChild(document.createElement('code'))
  code.textContent = declaration
  if (about !== '') element.appendChild(document.createElement('p')).textContent = about
  return element
}
