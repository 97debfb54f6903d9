import type { Track } from '../extensions.ts'
import { lineTracks } from './line-tracks.ts'
import { nodeTime } from './node-time.tsx'
import { queryMarks } from './query-marks.tsx'

/** The tracks of the viewer, in their initial order. */
export const allTracks: ReadonlyArray<Track> = [nodeTime, queryMarks, ...lineTracks]
