/** A note on something that the page showed. */
export interface Note {
  /** What stood behind the # of the page's address. */
  readonly address: string
  readonly text: string
}

/** A change of the notes on a run: one more, or one less. */
export type NoteChange = { readonly add: Note } | { readonly remove: Note }

/** What a note may be at most. */
export const noteLimits = { notes: 1000, address: 4000, text: 4000 } as const

/** The notes after a change; what is removed and not there leaves them as they are. */
export function changedNotes(notes: ReadonlyArray<Note>, change: NoteChange): ReadonlyArray<Note> {
  if ('add' in change) return [...notes, change.add]
  const at = notes.findIndex(({ address, text }) => address === change.remove.address && text === change.remove.text)
  return at < 0 ? notes : notes.toSpliced(at, 1)
}
