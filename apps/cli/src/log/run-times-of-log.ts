import type { Header } from '@cloister/eventlog'
import { OptionError, runTimesOf } from '@cloister/run'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { HeaderFieldError } from '../errors/errors.ts'

/** Returns the run times by placement named in a log's header; undefined if placement has no influence. */
export const runTimesOfLog = ({ run_times }: Header, topology: Topology) =>
  Effect.mapError(runTimesOf(run_times, topology), (error) =>
    error instanceof OptionError ? new HeaderFieldError({ field: 'run_times', reason: error.reason }) : error,
  )
