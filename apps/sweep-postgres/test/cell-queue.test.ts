import { PostgresServer, whatPostgresLacks } from '@cloister/postgres-server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type CellQueue, type CellQueueOptions, openCellQueue } from '../src/index.ts'

const lacks = whatPostgresLacks()
if (lacks !== undefined) console.warn(`the tests of the queue of cells are skipped: ${lacks}`)

let server: PostgresServer
let names = 0

/** Opens the same queue several times, once for each worker. */
async function open(count: number, options: Partial<CellQueueOptions> = {}): Promise<ReadonlyArray<CellQueue>> {
  const name = `queue ${++names}`
  const queues = await Promise.all(
    Array.from({ length: count }, () =>
      openCellQueue({ url: server.url, name, leaseSeconds: 2, attempts: 3, ...options }),
    ),
  )
  onTestFinished(async () => {
    await Promise.all(queues.map((queue) => queue.close()))
  })
  return queues
}

/** Takes and answers cells until no cell is left. @returns ids of the answered cells, in order */
async function answerAll(queue: CellQueue): Promise<ReadonlyArray<string>> {
  const ids: Array<string> = []
  for (let cell = await queue.take(); cell !== undefined; cell = await queue.take()) {
    ids.push(cell.id)
    await cell.answered()
  }
  return ids
}

describe.skipIf(lacks !== undefined)('a queue of cells in Postgres', () => {
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.stop())

  it('CellQueue.take gives each cell to only one of six workers, which open the queue at the same time', async () => {
    const queues = await open(6)
    const ids = Array.from({ length: 60 }, (_, at) => `cell ${at}`)
    await Promise.all(queues.map((queue) => queue.offer(ids)))
    const answered = await Promise.all(queues.map(answerAll))
    expect(answered.flat().sort()).toEqual([...ids].sort())
    expect(await queues[0].states()).toEqual(new Map(ids.map((id) => [id, 'completed'])))
  })

  it('CellQueue.offer leaves an answered cell answered', async () => {
    const [queue] = await open(1)
    await queue.offer(['a', 'b'])
    expect(await answerAll(queue)).toEqual(['a', 'b'])
    await queue.offer(['b', 'c'])
    expect(await answerAll(queue)).toEqual(['c'])
  })

  it('CellQueue.take gives a taken cell to another worker only after the first worker closes its queue', async () => {
    const [leaving, waiting, other] = await open(3)
    await other.offer(['a'])
    expect(await leaving.take()).toMatchObject({ id: 'a', attempt: 1 })
    const meanwhile = waiting.take()
    const first = await Promise.race([meanwhile, new Promise((resolve) => setTimeout(resolve, 4000, 'none'))])
    expect(first).toBe('none')
    await leaving.close()
    const cell = await meanwhile
    expect(cell).toMatchObject({ id: 'a' })
    await cell!.answered()
    expect(await other.take()).toBeUndefined()
  })

  it('CellQueue.take gives out a cell again after giveBack, at most `attempts` times', async () => {
    const [queue] = await open(1, { attempts: 2 })
    await queue.offer(['a'])
    for (const attempt of [1, 2]) {
      const cell = await queue.take()
      expect(cell).toMatchObject({ id: 'a', attempt })
      await cell!.giveBack()
    }
    expect(await queue.take()).toBeUndefined()
    expect(await queue.states()).toEqual(new Map([['a', 'failed']]))
  })

  it('a queue of cells works again after a restart of the Postgres server', async () => {
    const [queue] = await open(1)
    await queue.offer(['a', 'b'])
    const cell = await queue.take()
    await server.pause()
    const answered = cell!.answered()
    await server.resume()
    await answered
    expect(await answerAll(queue)).toEqual(['b'])
  })

  it('openCellQueue rejects a wrong URL, a wrong password and a missing server with a message', async () => {
    const openAt = (url: string) => openCellQueue({ url, name: 'a', leaseSeconds: 2, attempts: 1 })
    await expect(openAt('mysql://127.0.0.1/x')).rejects.toThrow(/protocol/)
    await expect(openAt(server.url.replace(/:[^:@/]+@/, ':wrong@'))).rejects.toThrow(/password authentication failed/)
    await expect(openAt('postgres://a@127.0.0.1:1/x')).rejects.toThrow(/ECONNREFUSED/)
  })
})
