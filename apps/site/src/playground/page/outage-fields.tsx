import { useState } from 'preact/hooks'
import { type ChosenOutage, type Part, parts, secondsOf, timeText } from '../outages.ts'

interface OutageFieldsProps {
  readonly outages: ReadonlyArray<ChosenOutage>
  readonly onChange: (outages: ReadonlyArray<ChosenOutage>) => void
  /** Called with all outages, the new outage last, if the user lets a part fail. */
  readonly onFail: (outages: ReadonlyArray<ChosenOutage>) => void
  readonly isBusy: boolean
}

/** Fields for the failure of a node or link, and the list of the chosen failures. */
export function OutageFields({ outages, onChange, onFail, isBusy }: OutageFieldsProps) {
  const [part, setPart] = useState<Part>('node')
  const [id, setId] = useState('17')
  const [at, setAt] = useState('24h')
  const [length, setLength] = useState('6h')
  const [time, lasts] = [secondsOf(at), secondsOf(length)]
  const isRight = /^\d{1,9}$/.test(id) && time !== undefined && lasts !== undefined && lasts > 0
  const text = (label: string, value: string, set: (value: string) => void) => (
    <label>
      {label}
      <input value={value} onInput={(event) => set(event.currentTarget.value)} />
    </label>
  )
  return (
    <details open={outages.length > 0}>
      <summary>Fail a node or a link</summary>
      <div class="fields">
        <label>
          Part
          <select name="part" value={part} onChange={(event) => setPart(event.currentTarget.value as Part)}>
            {Object.entries(parts).map(([name, words]) => (
              <option value={name}>{words}</option>
            ))}
          </select>
        </label>
        {text('Number', id, setId)}
        {text('Fails at (such as 24h)', at, setAt)}
        {text('Repaired after', length, setLength)}
      </div>
      <button
        type="button"
        class="fail"
        disabled={!isRight || isBusy}
        onClick={() => isRight && onFail([...outages, { part, id: Number(id), at: time, length: lasts }])}
      >
        Fail and run
      </button>
      {outages.length > 0 && (
        <ul class="outages" aria-label="Failures">
          {outages.map((outage) => (
            <li>
              {parts[outage.part]} {outage.id} at {timeText(outage.at)} for {timeText(outage.length)}{' '}
              <button type="button" onClick={() => onChange(outages.filter((each) => each !== outage))}>
                remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}
