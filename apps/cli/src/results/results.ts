// Schemas of the results of all commands with --json. Commands import only types from this folder, so that no command
// loads the schemas; the site and the tests load the schemas.
import { auditResults } from './audit.ts'
import { benchResults } from './bench.ts'
import { calibrateResults } from './calibrate.ts'
import { capacityResults } from './capacity.ts'
import { diffResults } from './diff.ts'
import { errorResults } from './error.ts'
import { explainResults } from './explain.ts'
import { filesResults } from './files.ts'
import { fuzzResults } from './fuzz.ts'
import { machinesResults } from './machines.ts'
import { metricsResults } from './metrics.ts'
import { policiesResults } from './policies.ts'
import { reproduceResults } from './reproduce.ts'
import { rerunResults } from './rerun.ts'
import { runResults } from './runs.ts'
import { stateResults } from './state.ts'
import { sweepResults } from './sweep.ts'
import { tracesResults } from './traces.ts'

/** Schema of the result of each command, by the words of the command after `cloister`; `error` for any failed command. */
export const results = {
  ...auditResults,
  ...benchResults,
  ...calibrateResults,
  ...capacityResults,
  ...diffResults,
  ...errorResults,
  ...explainResults,
  ...filesResults,
  ...fuzzResults,
  ...machinesResults,
  ...metricsResults,
  ...policiesResults,
  ...reproduceResults,
  ...rerunResults,
  ...runResults,
  ...stateResults,
  ...sweepResults,
  ...tracesResults,
}

/** Words of a command with `--json`, or `error`. */
export type ResultName = keyof typeof results

/** Result of a command with `--json`. */
export type ResultOf<Name extends ResultName> = (typeof results)[Name]['Type']
