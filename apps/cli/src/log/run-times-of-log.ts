import type { Header } from '@cloister/eventlog'
import { OptionError, runTimesOf } from '@cloister/run'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { HeaderFieldError } from '../errors/errors.ts'

/**
 * Returns the model of run times in a log's header (`options.runTimes`); undefined if run times do not depend on placement.
 */
export const runTimesOfLog = ({ options }: Header, topology: Topology) =>
  Effect.mapError(runTimesOf(options.runTimes, topology), (error) =>
    error instanceof OptionError ? new HeaderFieldError({ field: 'options.runTimes', reason: error.reason }) : error,
  )
