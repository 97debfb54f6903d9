/** Ids of the elements with logs in an exported page. The content is base64 of gzip. */
export const embeddedIds = { a: 'log-a', b: 'log-b' } as const
/** Id of the element with the notes on the run, as JSON. */
export const embeddedNotesId = 'notes-a'
