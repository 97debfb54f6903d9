import type { RunOptionName } from '@cloister/run'
import { OWN_CODE, type Setup } from '../setup.ts'

interface FieldsProps {
  readonly setup: Setup
  readonly policies: ReadonlyArray<string>
  readonly onChange: (setup: Setup) => void
  readonly onFile: (file: File) => void
}

/** Options in text fields: name of the option, label, and example values. */
const texts: ReadonlyArray<readonly [RunOptionName, string, ReadonlyArray<string>]> = [
  ['topology', 'Machine', ['radix:8', 'radix:16', 'radix:18', 'kary:4:4', 'cab', 'pgft:3;18,18,4;1,18,2;1,1,9']],
  ['trace', 'Jobs: synth:MEAN:COUNT:SEED, or a file', ['synth:8:1000', 'synth:16:2000', 'synth:16:10000:7']],
  ['queue', 'Queue', ['easy:50', 'fcfs', 'conservative:50', 'easy:50,sjf']],
]
const more: ReadonlyArray<readonly [RunOptionName, string, ReadonlyArray<string>]> = [
  ['filter', 'Which jobs', ['first-jobs=1000', 'nodes<=64', 'runtime>0']],
  ['procsPerNode', 'Processors of a node', []],
  ['arrivals', 'Arrivals', ['zero', 'trace', 'scale:0.5']],
  ['scenario', 'Speed-up of isolated jobs', ['none', '10%', 'v1', 'v2']],
  ['seed', 'Seed', []],
]

/** The fields of a set-up: machine, jobs, queue, two policies, and more options. */
export function Fields({ setup, policies, onChange, onFile }: FieldsProps) {
  const text = ([name, label, values]: (typeof texts)[number]) => (
    <label>
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
  )
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
    <>
      <div class="fields">
        {texts.map(text)}
        {policy(0, 'One policy')}
        {policy(1, 'Another')}
        <label class="file">
          A file of jobs, SWF or sacct -P (.gz too): choose it, or drop it anywhere
          <input
            type="file"
            name="file"
            onChange={({ currentTarget: { files } }) => files?.[0] !== undefined && onFile(files[0])}
          />
        </label>
      </div>
      <details>
        <summary>More options</summary>
        <div class="fields">{more.map(text)}</div>
      </details>
    </>
  )
}
