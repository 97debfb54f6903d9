import type { LogRecord } from '@cloister/eventlog'
import { batsimJobs, batsimSchedule, chromeTrace, jobsCsv, paje, sacctOfLog, swfOfLog } from '@cloister/exports'

/** Formats for a whole run, each with its files. A single file has the name of `--out`. */
export const runFormats: Readonly<
  Record<
    string,
    ReadonlyArray<{ readonly name: string; readonly pieces: (records: Iterable<LogRecord>) => Iterable<string> }>
  >
> = {
  chrome: [{ name: '', pieces: chromeTrace }],
  paje: [{ name: '', pieces: paje }],
  csv: [{ name: '', pieces: jobsCsv }],
  swf: [{ name: '', pieces: swfOfLog }],
  sacct: [{ name: '', pieces: sacctOfLog }],
  batsim: [
    { name: 'jobs.csv', pieces: batsimJobs },
    { name: 'schedule.csv', pieces: batsimSchedule },
  ],
}
