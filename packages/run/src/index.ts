export { inSlices } from './in-slices.ts'
export { run, type RunTo } from './run.ts'
export { prepare, type Run, type RunSource } from './prepare.ts'
export { execute, type OnProgress, record, type Watching } from './execute.ts'
export { headerOf, type IneffectiveOption, ineffectiveOptions, loggedOptions } from './header.ts'

export { flagOf, type RunOptionName, runOptionNames, type RunOptions, runOptions } from './options.ts'
export type { Applied, JsonObject, OptionGroup, OptionKind, Presence, RunOption } from './option.ts'
export {
  type AnyOption,
  canonicalSpec,
  meaningsOf,
  optionOf,
  type RunMeanings,
  type RunSpec,
  specKey,
  type UncheckedSpec,
} from './spec.ts'
export type { GivenSpec } from './given-spec.ts'
export { commandWords, describeSpec, formatCommand, optionWords, quoteWord } from './command.ts'
export { ExperimentError, parseExperiment } from './experiment.ts'

export { type Communication, formatCommunication, parseCommunication, withCommunication } from './communication.ts'
export { parseQueue, queueForms } from './queue.ts'
export { parseOutages } from './outages.ts'
export { type MatrixFile, matrixPaths, readMatrices } from './matrices.ts'
export { decidesResults, holdsUpOthers, shareOfNodeTime } from './overruns.ts'
export { runTimesOf } from './run-times.ts'
export { routingOf } from './routing.ts'
export { bind, blamePolicy, builtIn } from './policy-binding.ts'
export {
  type AnyPolicy,
  type FoundPolicy,
  Hash,
  Policies,
  RunFiles,
  StopAfter,
  type TraceOptions,
  Traces,
} from './services.ts'
export { forbidExit } from './without-exit.ts'
export {
  attempt,
  FileError,
  isTagged,
  OptionError,
  optionError,
  PolicyFailedError,
  type TaggedProblem,
} from './errors.ts'
