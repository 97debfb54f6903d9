import type { QuestionName, Questions } from '@cloister/viewer'
import { jobNumbers, jobTexts, timelineFigures } from '@cloister/metrics'
import { parseJsonText } from '@cloister/trace-io'
import { Schema } from 'effect'

const nothing = Schema.Struct({})
const seq = Schema.Struct({ seq: Schema.Int })
const moment = Schema.Union([seq, Schema.Struct({ t: Schema.Finite })])

const schemas: { readonly [Name in QuestionName]: Schema.Codec<Questions[Name]['ask']> } = {
  overview: nothing,
  growth: Schema.Struct({ jobs: Schema.Int, spans: Schema.Int }),
  timeline: Schema.Struct({ from: Schema.Finite, to: Schema.Finite, points: Schema.Int }),
  means: Schema.Struct({ from: Schema.Finite, to: Schema.Finite, points: Schema.Int }),
  steps: nothing,
  linkUse: Schema.Struct({ from: Schema.Finite, to: Schema.Finite, points: Schema.Int }),
  worst: Schema.Struct({ figure: Schema.Literals(timelineFigures), from: Schema.Finite, to: Schema.Finite }),
  jobs: Schema.Struct({
    query: Schema.String,
    sort: Schema.NullOr(Schema.Literals([...jobNumbers, ...jobTexts])),
    descending: Schema.Boolean,
    from: Schema.Int,
    count: Schema.Int,
    histogram: Schema.NullOr(Schema.Literals(jobNumbers)),
  }),
  area: Schema.Struct({ from: Schema.Finite, to: Schema.Finite, firstNode: Schema.Int, endNode: Schema.Int }),
  explain: Schema.Struct({ job: Schema.String }),
  moment: Schema.Union([
    Schema.Struct({ seq: Schema.Int, since: Schema.optionalKey(Schema.String) }),
    Schema.Struct({ t: Schema.Finite, since: Schema.optionalKey(Schema.String) }),
  ]),
  step: Schema.Struct({
    seq: Schema.Int,
    by: Schema.Literals(['record', 'pass']),
    direction: Schema.Literals([1, -1]),
  }),
  why: seq,
  largest: moment,
  fits: moment,
  relief: seq,
  fragmented: moment,
  outages: nothing,
  job: Schema.Struct({ job: Schema.String }),
  record: seq,
  metrics: nothing,
}

/** Parses a question of the viewer's page about a run. @throws Error with a description of the problem */
export function readQuestion(
  name: string,
  text: string,
): { readonly name: QuestionName; readonly question: Questions[QuestionName]['ask'] } {
  if (!Object.hasOwn(schemas, name)) throw new Error(`there is no question ${JSON.stringify(name)}`)
  const known = name as QuestionName
  return { name: known, question: Schema.decodeUnknownSync(schemas[known])(parseJsonText(text)) }
}
