import type { Header } from '@cloister/eventlog'
import { OptionError, runTimesOf } from '@cloister/run'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { HeaderFieldError } from '../errors/errors.ts'

/**
 * Returns the model of run times in a log's header (`run_times`); undefined if run times do not depend on placement.
 */
export const runTimesOfLog = ({ run_times }: Header, topology: Topology) =>
  Effect.mapError(runTimesOf(run_times, topology), (error) =>
    error instanceof OptionError ? new HeaderFieldError({ field: 'run_times', reason: error.reason }) : error,
  )
