/** Ids of the elements of an exported page that have the logs. An element's content is its log, as base64 of gzip. */
export const embeddedIds = { a: 'log-a', b: 'log-b' } as const
/** Id of the element of an exported page that has the notes on the run, as JSON. */
export const embeddedNotesId = 'notes-a'
