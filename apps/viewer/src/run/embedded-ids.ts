/** Ids of the elements of an exported page that contain the logs of the runs a and b, each as base64 of gzip. */
export const embeddedIds = { a: 'log-a', b: 'log-b' } as const
/** Id of the element of an exported page that contains the notes on the run, as JSON. */
export const embeddedNotesId = 'notes-a'
