import { Data } from 'effect'

/** Why an experiment could not be made. `cause` is what whoever runs it failed with. */
export class ExperimentError extends Data.TaggedError('ExperimentError')<{ readonly cause: unknown }> {}
