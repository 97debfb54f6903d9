import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { LogFollower } from '@cloister/eventlog/node'
import { bindPolicy } from '@cloister/placement'
import { isTagged, type Run } from '@cloister/run'
import { type PolicyQuestions, ViewedRun } from '@cloister/viewer'
import { policyQuestions } from '../view/policy-questions.ts'

/** Reads a log file to its end like `cloister view`, and asks the viewer's questions about several states. */
export function viewWhole(path: string, run: Run): void {
  const follower = new LogFollower(path)
  try {
    const viewed = readToEnd(follower, run)
    if (viewed !== undefined) askAll(viewed, follower.records)
  } finally {
    follower.close()
  }
}

function readToEnd(follower: LogFollower, run: Run): ViewedRun | undefined {
  let viewed: ViewedRun | undefined
  const add = (records: ReadonlyArray<LogRecord>): void => {
    for (const record of records) {
      if (record.type === 'header')
        viewed = new ViewedRun(record, () => follower.seeker()!, { questions: questionsFor(record, run) })
      viewed!.add(record)
    }
  }
  for (let records = follower.next(); records !== undefined; records = follower.next()) add(records)
  add(follower.finish().records)
  return viewed
}

function questionsFor(header: Header, { found, runTimes }: Run): PolicyQuestions | undefined {
  try {
    return policyQuestions(bindPolicy(found.policy, headerTopology(header), header.policy.config), runTimes)
  } catch (error) {
    if (isTagged(error)) return undefined
    throw error
  }
}

function askAll(viewed: ViewedRun, records: number): void {
  viewed.answer('overview', {})
  viewed.answer('growth', { jobs: 0, spans: 0 })
  viewed.answer('timeline', { from: 0, to: 1000, points: 50 })
  viewed.answer('metrics', {})
  viewed.answer('job', { job: '1' })
  for (const seq of [0, records >> 1, records - 1]) {
    viewed.answer('moment', { seq })
    viewed.answer('record', { seq })
    viewed.answer('why', { seq })
    viewed.answer('step', { seq, by: 'pass', direction: 1 })
  }
  for (const t of [0, 100]) viewed.answer('largest', { t })
}
