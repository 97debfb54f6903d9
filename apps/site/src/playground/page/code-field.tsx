import { useEffect, useRef } from 'preact/hooks'
import type { Problem } from '../questions.ts'
import type { CodeEditor } from './code-editor.ts'

interface CodeFieldProps {
  readonly code: string
  readonly problem: Problem | undefined
  readonly onChange: (code: string) => void
}

/** The field for a policy's code. The page fetches the editor when the field appears. */
export function CodeField({ code, problem, onChange }: CodeFieldProps) {
  const element = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor>(undefined)
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    let isWanted = true
    void import('./code-editor.ts').then(({ editCode }) => {
      if (isWanted) editor.current = editCode(element.current!, code, (changed) => latest.current(changed))
    })
    return () => {
      isWanted = false
      editor.current?.remove()
    }
  }, [])
  useEffect(() => editor.current?.showProblem(problem), [problem])
  return (
    <>
      <p class="note">
        TypeScript or JavaScript. Types are checked while you write, and removed before the code runs. After a point the
        editor offers the members of the contract's types; point at a name to see its description. The code runs in a
        sandbox without network.
      </p>
      <div class="code" data-testid="code" ref={element} />
    </>
  )
}
