import { expect, it } from 'vitest'
import { Turns } from '../src/page/state/answerers.ts'

/** Makes named tasks that run until the test ends them. `log` has the begins, ends and failures of tasks. */
function tasks(turns: Turns): {
  readonly log: Array<string>
  readonly begin: (name: string, signal?: AbortSignal) => void
  readonly end: (name: string, error?: Error) => Promise<void>
} {
  const log: Array<string> = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  return {
    log,
    begin: (name, signal) => {
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      const task = (): Promise<void> => {
        log.push(`${name} begins`)
        return end.promise
      }
      turns.run(task, signal).then(
        () => log.push(`${name} ends`),
        () => log.push(`${name} fails`),
      )
    },
    end: async (name, error) => {
      if (error === undefined) ends.get(name)!.resolve()
      else ends.get(name)!.reject(error)
      await new Promise((resolve) => setTimeout(resolve))
    },
  }
}

it('`Turns` with the limit 2 runs two tasks at a time, and further tasks in the order of their calls', async () => {
  const { log, begin, end } = tasks(new Turns(2))
  for (const name of ['a', 'b', 'c', 'd']) begin(name)
  expect(log).toEqual(['a begins', 'b begins'])
  await end('b')
  expect(log.toSorted()).toEqual(['a begins', 'b begins', 'b ends', 'c begins'])
  await end('a', new Error('nobody answers'))
  begin('e')
  expect(log.slice(4).toSorted()).toEqual(['a fails', 'd begins'])
  for (const name of ['c', 'd', 'e']) await end(name)
  begin('f')
  expect(log.filter((line) => line.endsWith('begins')).join()).toBe(
    'a begins,b begins,c begins,d begins,e begins,f begins',
  )
})

it('`Turns` does not begin a waiting task whose signal was aborted', async () => {
  const { log, begin, end } = tasks(new Turns(1))
  const aborter = new AbortController()
  begin('a')
  begin('b', aborter.signal)
  begin('c')
  aborter.abort()
  await end('a')
  expect(log.toSorted()).toEqual(['a begins', 'a ends', 'b fails', 'c begins'])
})
