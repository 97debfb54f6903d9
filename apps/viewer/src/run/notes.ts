/** A note on a state of the page. */
export interface Note {
  /** Part of the page's address behind #. */
  readonly address: string
  readonly text: string
}

/** A change of the notes on a run: an added or a removed note. */
export type NoteChange = { readonly add: Note } | { readonly remove: Note }

/** Most notes of a run, and most characters of an address and of a text. */
export const noteLimits = { notes: 1000, address: 4000, text: 4000 } as const

/** Returns the notes after a change. The removal of a missing note changes nothing. */
export function changedNotes(notes: ReadonlyArray<Note>, change: NoteChange): ReadonlyArray<Note> {
  if ('add' in change) return [...notes, change.add]
  const at = notes.findIndex(({ address, text }) => address === change.remove.address && text === change.remove.text)
  return at < 0 ? notes : notes.toSpliced(at, 1)
}
