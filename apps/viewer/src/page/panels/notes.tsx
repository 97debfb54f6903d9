import { type Signal, signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Panel } from '../extensions.ts'
import { useEffect } from 'preact/hooks'
import { embeddedNotesId, type Note, type NoteChange, noteLimits } from '../../run/notes.ts'
import { address, rememberPlace, visit } from '../state/address.ts'
import { embeddedText } from '../state/answerers.ts'

/** Notes on states of the page; each note leads back to its state. A file beside the log stores the notes. */
export const notesPanel: Panel = {
  name: 'notes',
  title: 'Notes',
  key: { key: 'b', does: 'notes on the run: note the shown state, or go back to a noted state' },
  command: 'notes on the run',
  content: NotesPanel,
}

function NotesPanel(): JSX.Element {
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

/** Notes on the first shown run; undefined until the notes are read. */
const notes: Signal<ReadonlyArray<Note> | undefined> = signal(undefined)
/** Message of the error of the last request about notes; undefined if the last request succeeded. */
const notesProblem: Signal<string | undefined> = signal(undefined)

/** Returns true if the page can store notes. An exported page cannot: it shows the notes of the time of its export. */
function areNotesStored(): boolean {
  return embeddedText('a') === undefined
}

async function readNotes(): Promise<void> {
  if (!areNotesStored()) {
    const text = document.getElementById(embeddedNotesId)?.textContent?.trim() ?? ''
    notes.value = text === '' ? [] : (JSON.parse(text) as ReadonlyArray<Note>)
    return
  }
  await take(fetch('./notes'))
}

async function changeNotes(change: NoteChange): Promise<void> {
  await take(
    fetch('./notes', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) }),
  )
}

async function take(asked: Promise<Response>): Promise<void> {
  try {
    const response = await asked
    if (!response.ok) throw new Error(await response.text())
    notes.value = (await response.json()) as ReadonlyArray<Note>
    notesProblem.value = undefined
  } catch (error) {
    notesProblem.value = (error as Error).message
  }
}
