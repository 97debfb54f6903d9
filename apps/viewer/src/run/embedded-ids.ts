/** Ids of the elements of an exported page that hold logs, as base64 of gzip. */
export const embeddedIds = { a: 'log-a', b: 'log-b' } as const
/** Id of the one that holds the notes on the run, as JSON. */
export const embeddedNotesId = 'notes-a'
