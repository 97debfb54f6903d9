import type { LogRecord } from '@cloister/eventlog'
import { batsimJobs, batsimSchedule, chromeTrace, jobsCsv, paje, sacctOfLog, swfOfLog } from '@cloister/exports'

/** Files of each format of `cloister export` for a whole run. A file with an empty name gets the path of `--out`. */
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
