import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { parseMoment } from '../navigation/moments.ts'
import { reveal } from '../navigation/reveal.ts'
import { epochShown } from '../state/clock.ts'
import { activeRun } from '../state/session.ts'
import { clockBy } from '../state/view-state.ts'

/** Field for a time or a record to go to. If the log has an epoch, the user can choose the page's clock. */
export function TimeField(): JSX.Element {
  const isWrong = useSignal(false)
  const epoch = epochShown()
  const example = epoch === undefined ? '11d 13:46' : '11d 13:46, 2007-03-02 14:00'
  return (
    <form
      class="time-field"
      onSubmit={(event) => {
        event.preventDefault()
        const field = event.currentTarget.querySelector('input')!
        const moment = parseMoment(field.value, epoch, clockBy.value)
        isWrong.value = moment === undefined
        const run = activeRun.peek()
        if (moment === undefined || run === undefined) return
        reveal('seq' in moment ? { kind: 'record', seq: moment.seq, on: run.side } : { kind: 'time', t: moment.t })
        field.value = ''
        field.blur()
      }}
    >
      <input
        name="time"
        size={16}
        autocomplete="off"
        aria-label="Go to a time or record"
        aria-invalid={isWrong.value}
        title={`A time or a record: ${example}, 3h, #700`}
        placeholder={isWrong.value ? `not read: ${example}` : example}
        onInput={() => {
          isWrong.value = false
        }}
      />
      {epoch === undefined ? null : (
        <label>
          <span class="hidden">Clock</span>
          <select
            value={clockBy.value}
            onChange={(event) => {
              clockBy.value = event.currentTarget.value as typeof clockBy.value
            }}
          >
            <option value="run">since the start</option>
            <option value="utc">UTC</option>
            <option value="local">local time</option>
          </select>
        </label>
      )}
    </form>
  )
}
