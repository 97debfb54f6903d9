/** A note on a state of the viewer's page. */
export interface Note {
  /** Part of the page's address behind `#`, which names the state. */
  readonly address: string
  readonly text: string
}

/** A change of the notes on a run: an added or a removed note. */
export type NoteChange = { readonly add: Note } | { readonly remove: Note }

/** Greatest number of notes on a run, and greatest numbers of characters in a note's address and in its text. */
export const noteLimits = { notes: 1000, address: 4000, text: 4000 } as const

/** Returns the notes on a run after a change. The removal of a note that is not there changes nothing. */
export function changedNotes(notes: ReadonlyArray<Note>, change: NoteChange): ReadonlyArray<Note> {
  if ('add' in change) return [...notes, change.add]
  const at = notes.findIndex(({ address, text }) => address === change.remove.address && text === change.remove.text)
  return at < 0 ? notes : notes.toSpliced(at, 1)
}

/** Ids of the elements of an exported page that contain the logs of the runs a and b, each as base64 of gzip. */
export const embeddedIds = { a: 'log-a', b: 'log-b' } as const
/** Id of the element of an exported page that contains the notes on the run, as JSON. */
export const embeddedNotesId = 'notes-a'
