import { describe, expect, it } from 'vitest'
import { type PolicyReply, type PolicyTask, PolicyTasks } from '@cloister/viewer/server'

function largestAt(seq: number): PolicyTask {
  return { path: 'run.ndjson', generation: 0, policy: undefined, records: 9, name: 'largest', question: { seq } }
}
const why: PolicyTask = { ...largestAt(5), name: 'why' }

function tasks() {
  const sent: Array<PolicyTask> = []
  const replies: Array<PolicyReply> = []
  const made = new PolicyTasks((task) => sent.push(task))
  const ask = (task: PolicyTask): (() => void) => made.ask(task, (reply) => replies.push(reply))
  return { made, sent, replies, ask }
}

describe('PolicyTasks, the questions to the thread of policies', () => {
  it('PolicyTasks sends questions one at a time, about the shown moment first, and never withdrawn questions', () => {
    const { made, sent, ask } = tasks()
    ask(largestAt(1))
    const takeBack = ask(largestAt(2))
    ask(largestAt(3))
    ask(why)
    expect(sent).toEqual([largestAt(1)])
    made.reply({ answer: { nodes: 1 } })
    expect(sent.at(-1)).toEqual(why)
    takeBack()
    made.reply({ failure: 'it throws' })
    expect(sent.at(-1)).toEqual(largestAt(3))
    made.reply({ answer: { nodes: 3 } })
    expect(sent).toHaveLength(3)
  })

  it('PolicyTasks answers questions from the cache, and fails questions with the reason if the thread has ended', () => {
    const { made, sent, replies, ask } = tasks()
    ask(largestAt(1))
    made.reply({ answer: { nodes: 7 } })
    ask(largestAt(1))
    expect(sent).toHaveLength(1)
    expect(replies).toEqual([{ answer: { nodes: 7 } }, { answer: { nodes: 7 } }])
    ask(largestAt(6))
    ask(largestAt(6))
    made.reply({ answer: { nodes: 8 } })
    expect(sent).toHaveLength(2)
    expect(replies.splice(2)).toEqual([{ answer: { nodes: 8 } }, { answer: { nodes: 8 } }])
    ask(largestAt(2))
    ask(largestAt(3))
    made.end('it ended')
    expect(replies.slice(2)).toEqual([{ failure: 'it ended' }, { failure: 'it ended' }])
    ask(largestAt(4))
    expect(sent.at(-1)).toEqual(largestAt(4))
  })

  it('PolicyTasks sends a question again if the thread failed to answer before', () => {
    const { made, sent, ask } = tasks()
    ask(why)
    made.reply({ failure: 'the log holds no sealed record yet' })
    ask(why)
    expect(sent).toEqual([why, why])
  })
})
