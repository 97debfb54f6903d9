import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { noteLimits } from '../../run/notes.ts'
import { rememberPlace } from '../navigation/history.ts'
import { areNotesStored, changeNotes, notes, notesProblem, readNotes } from '../state/notes.ts'
import { address, visit } from '../state/view-state.ts'

/** Notes on states of the page; each note leads back to its state. A file beside the log stores the notes. */
export function NotesPanel(): JSX.Element {
  const text = useSignal('')
  useEffect(() => void readNotes(), [])
  return (
    <div data-testid="notes">
      {areNotesStored() ? (
        <form
          class="note-form"
          onSubmit={(event) => {
            event.preventDefault()
            const written = text.value.trim()
            if (written === '') return
            void changeNotes({ add: { address: address.peek(), text: written } })
            text.value = ''
          }}
        >
          <label>
            Note on the shown state
            <textarea
              rows={3}
              maxLength={noteLimits.text}
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value
              }}
            />
          </label>
          <button type="submit">Save with the run</button>
        </form>
      ) : null}
      {notesProblem.value === undefined ? null : <p role="alert">{notesProblem.value}</p>}
      {notes.value === undefined ? (
        <p class="empty">Reading the notes…</p>
      ) : notes.value.length === 0 ? (
        <p class="empty">There are no notes on this run.</p>
      ) : (
        <ol class="notes">
          {notes.value.map((note, at) => (
            <li key={`${at} ${note.address}`}>
              <button
                type="button"
                class="link"
                onClick={() => {
                  rememberPlace()
                  visit(note.address)
                }}
              >
                {note.text}
              </button>
              {areNotesStored() ? (
                <button
                  type="button"
                  aria-label={`Remove the note: ${note.text}`}
                  onClick={() => void changeNotes({ remove: note })}
                >
                  ×
                </button>
              ) : null}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
