import type { RunOptionName } from '@cloister/run'
import { useEffect, useRef } from 'preact/hooks'
import { OWN_CODE, type Problem, type Setup } from '../setup.ts'
import type { CodeEditor } from './code-editor.ts'

interface FieldsProps {
  readonly setup: Setup
  readonly onChange: (setup: Setup) => void
}

/** Option in a text field: name of the option, label, and example values. */
type TextOption = readonly [name: RunOptionName, label: string, values: ReadonlyArray<string>]

const texts: ReadonlyArray<TextOption> = [
  ['topology', 'Machine', ['radix:8', 'radix:16', 'radix:18', 'kary:4:4', 'cab', 'pgft:3;18,18,4;1,18,2;1,1,9']],
  ['queue', 'Queue', ['easy:50', 'fcfs', 'conservative:50']],
  ['trace', 'Jobs (synth:MEAN:COUNT:SEED)', ['synth:16:1000', 'synth:8:1000', 'synth:16:2000', 'synth:16:10000:7']],
]
const more: ReadonlyArray<TextOption> = [
  ['order', 'Queue order', ['submit', 'shortest', 'wfp', 'f1', 'fair-share']],
  ['filter', 'Which jobs', ['first-jobs=1000', 'nodes<=64', 'runtime>0']],
  ['procsPerNode', 'Processors of a node', []],
  ['arrivals', 'Arrivals', ['zero', 'trace', 'scale:0.5']],
  ['scenario', 'Speed-up of jobs', ['none', '10%', 'v1', 'v2']],
  ['seed', 'Seed', []],
]

function TextFields({ setup, onChange, options }: FieldsProps & { readonly options: ReadonlyArray<TextOption> }) {
  return options.map(([name, label, values]) => (
    <label class={name}>
      {label}
      <input
        name={name}
        value={setup.options[name] ?? ''}
        list={values.length === 0 ? undefined : `${name}-values`}
        onInput={(event) =>
          onChange({ ...setup, options: { ...setup.options, [name]: event.currentTarget.value.trim() } })
        }
      />
      <datalist id={`${name}-values`}>
        {values.map((value) => (
          <option value={value} />
        ))}
      </datalist>
    </label>
  ))
}

/** The first fields of a set-up: machine, queue, jobs and two policies. */
export function Fields({ setup, policies, onChange }: FieldsProps & { readonly policies: ReadonlyArray<string> }) {
  const policy = (at: 0 | 1, label: string) => (
    <label>
      {label}
      <select
        name={`policy-${at}`}
        value={setup.policies[at]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...setup, policies: at === 0 ? [value, setup.policies[1]] : [setup.policies[0], value] })
        }
      >
        {[...policies, OWN_CODE].map((name) => (
          <option value={name}>{name === OWN_CODE ? 'your own code' : name}</option>
        ))}
      </select>
    </label>
  )
  return (
    <div class="fields first">
      <TextFields setup={setup} onChange={onChange} options={texts} />
      {policy(0, 'Policy A')}
      {policy(1, 'Policy B')}
    </div>
  )
}

/** The files of jobs and machine, and more options. */
export function MoreFields({ onFile, ...props }: FieldsProps & { readonly onFile: (file: File) => void }) {
  return (
    <details>
      <summary>A file of jobs or of a machine, and more options</summary>
      <label class="file">
        Jobs as SWF or sacct -P (.gz too), or a machine as topology.conf or topology.yaml of Slurm: choose the file, or
        drop it anywhere on the page
        <input
          type="file"
          name="file"
          onChange={({ currentTarget: { files } }) => files?.[0] !== undefined && onFile(files[0])}
        />
      </label>
      <div class="fields">
        <TextFields {...props} options={more} />
      </div>
    </details>
  )
}

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
    <div class="editing">
      <div class="code" data-testid="code" ref={element} />
      <p class="note">
        TypeScript or JavaScript. Types are checked while you write, and removed before the code runs, in a sandbox
        without network. After a point the editor offers the members of the contract's types; point at a name to see its
        description.
      </p>
    </div>
  )
}
