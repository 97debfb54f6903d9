import type { Files } from '@cloister/run/node'
import { parseJsonText } from '@cloister/trace-io'
import { Data, Schema } from 'effect'
import { changedNotes, type Note, type NoteChange, noteLimits } from '../run/notes.ts'

/** Error for a notes file of a log with content that is not in the format of notes. */
export class NotesFileError extends Data.TaggedError('NotesFileError')<{
  readonly path: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.path} is no file of notes: ${this.reason}`
  }
}

const Note: Schema.Codec<Note> = Schema.Struct({ address: Schema.String, text: Schema.String })
const Notes: Schema.Codec<{ readonly notes: ReadonlyArray<Note> }> = Schema.Struct({ notes: Schema.Array(Note) })
const Change: Schema.Codec<NoteChange> = Schema.Union([Schema.Struct({ add: Note }), Schema.Struct({ remove: Note })])

/** Returns the path of the notes file of a log: `run.ndjson.notes.json` for `run.ndjson`. */
export function notesPath(log: string): string {
  return `${log}.notes.json`
}

/** Returns the notes on a log, or none if the log has no notes file. @throws NotesFileError */
export function readNotes(disk: Files['Service'], log: string): ReadonlyArray<Note> {
  const path = notesPath(log)
  if (!disk.exists(path)) return []
  try {
    return Schema.decodeUnknownSync(Notes)(parseJsonText(disk.readText(path))).notes
  } catch (error) {
    throw new NotesFileError({ path, reason: (error as Error).message })
  }
}

/**
 * Adds or removes a note on a log, and returns all notes.
 * @param text the change as JSON: `{"add": NOTE}` or `{"remove": NOTE}`
 * @throws Error with a description of the problem in the change
 */
export function changeNotes(disk: Files['Service'], log: string, text: string): ReadonlyArray<Note> {
  const change = Schema.decodeUnknownSync(Change)(parseJsonText(text))
  const notes = changedNotes(readNotes(disk, log), change)
  if ('add' in change) {
    if (notes.length > noteLimits.notes)
      throw new Error(`the log has ${noteLimits.notes} notes already, the largest number`)
    for (const field of ['address', 'text'] as const)
      if (change.add[field].length > noteLimits[field])
        throw new Error(
          `the ${field} of the note has ${change.add[field].length} characters, expected at most ${noteLimits[field]}`,
        )
  }
  disk.writeText(notesPath(log), `${JSON.stringify({ notes }, undefined, 2)}\n`, 'overwrite')
  return notes
}
