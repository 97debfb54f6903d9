// Help in the field for a policy's code, from the types of the policy contract: a list of members after a `.`, and a
// description of the word under the pointer.
import { EditorState, type Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { types } from 'site:contract-types'
import { type Meaning, meaningOf, membersAfter } from '../contract-types.ts'

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
