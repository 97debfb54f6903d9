import { type Signal, signal } from '@preact/signals'
import { embeddedNotesId } from '../../run/embedded-ids.ts'
import type { Note, NoteChange } from '../../run/notes.ts'
import { embeddedText } from './embedded.ts'

/** Notes on the first shown run; undefined until the notes are read. */
export const notes: Signal<ReadonlyArray<Note> | undefined> = signal(undefined)
/** Message of the error of the last request about notes; undefined if the last request succeeded. */
export const notesProblem: Signal<string | undefined> = signal(undefined)

/** Returns true if the page can store notes. An exported page cannot: it shows the notes of the time of its export. */
export function areNotesStored(): boolean {
  return embeddedText('a') === undefined
}

export async function readNotes(): Promise<void> {
  if (!areNotesStored()) {
    const text = document.getElementById(embeddedNotesId)?.textContent?.trim() ?? ''
    notes.value = text === '' ? [] : (JSON.parse(text) as ReadonlyArray<Note>)
    return
  }
  await take(fetch('./notes'))
}

export async function changeNotes(change: NoteChange): Promise<void> {
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
