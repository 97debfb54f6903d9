import type { Header } from '@cloister/eventlog'
import { OptionError, runTimesOf } from '@cloister/run'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { HeaderFieldError } from '../errors/errors.ts'

/** How long jobs take where they are put, as a log's header says it. */
export const runTimesOfLog = ({ run_times }: Header, topology: Topology) =>
  Effect.mapError(runTimesOf(run_times, topology), (error) =>
    error instanceof OptionError ? new HeaderFieldError({ field: 'run_times', reason: error.reason }) : error,
  )
