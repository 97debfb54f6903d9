/**
 * A second, plain implementation of the scheduling rules. Each question is asked about a state built from nothing, no
 * answer is remembered, and ends are tried in order. The reference kernel is slow, and its log must equal the kernel's.
 */
import {
  type Allocation,
  ClusterState,
  type Outcome,
  type Resources,
  type Placement,
  type Refusal,
  type Request,
  withIds,
} from '@cloister/placement'
import type { RunColumns } from '@cloister/ordering'
import { estimateOf, type QueueDiscipline, type Simulation, type Summary } from '../src/index.ts'

interface Running {
  job: number
  realEnd: number
  isKilled: boolean
  seq: number
  /** Jobs that waited ahead of the job when it was backfilled. */
  passed: ReadonlyArray<number>
  startedAt: number
  allocation: Allocation
}
interface HeadReservation {
  job: number
  start: number
  placement: Placement
  seq: number
}

export function referenceSimulate(simulation: Simulation<any>): Summary {
  const {
    topology,
    placer,
    workload,
    queue,
    order,
    estimates,
    overrun,
    refusals,
    recorder,
    outages = [],
    cancellations = [],
    requeue = false,
    runTimes,
    migrate,
  } = simulation
  const jobs = [...workload.jobs]
  const kills = queue.backfill === 'easy' && queue.kill === true
  const isReplanned = queue.backfill === 'easy' && queue.replan === true && !kills
  const inTurn = (window: ReadonlyArray<number>): ReadonlyArray<number> => {
    const rank = (job: number): number => {
      if (queue.backfill !== 'easy' || queue.windowOrder === undefined) return 0
      if (queue.windowOrder === 'shortest') return estimate(job)
      return queue.windowOrder === 'largest' ? -jobs[job].size : jobs[job].size
    }
    return [...window].sort((a, b) => rank(a) - rank(b))
  }
  const isMovable = queue.backfill === 'easy' && queue.reservation === 'movable' && !kills
  const moveMinNodes = queue.backfill === 'easy' ? (queue.moveMinNodes ?? 1) : 1
  const totals = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }
  let waiting: Array<number> = []
  /** Jobs that wait for the submission of a job of an earlier turn. */
  let held: Array<number> = []
  let running: Array<Running> = []
  let reserved: HeadReservation | undefined
  const reasons = new Map<number, string>()
  let searchBounds = 0
  const rejected: Array<Summary['notPlaced']['rejected'][number]> = []
  let broken = 0
  let down: Array<Resources> = []
  let now = 0
  let cause = 0
  let allocated = 0
  /** Sizes for which no set of running jobs was found since the last release. */
  const inVain = new Set<number>()
  let isPassOver = false

  const estimate = (job: number): number => estimateOf(jobs[job], estimates)
  const runTimeOn = (job: number, placement: Placement): number =>
    runTimes?.(stateOf(running), requestOf(job, 'start'), placement, jobs[job].runTime) ?? jobs[job].runTime
  const estimateOn = (job: number, placement: Placement): number =>
    estimates === 'exact' ? runTimeOn(job, placement) : estimate(job)
  const stateOf = (holding: ReadonlyArray<Running>, withheld: ReadonlyArray<Placement> = []): ClusterState<any> => {
    const state = healthy()
    for (const { allocation } of holding) state.apply(allocation)
    for (const placement of withheld) state.withhold(placement)
    for (const resources of down) state.fail(resources)
    return state
  }
  const healthy = (): ClusterState<any> =>
    new ClusterState<any>(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
  const canApply = (state: ClusterState<any>, placement: Placement): boolean =>
    state.isFree(placement, placement.bandwidth)
  /** Runs that have ended, in the order of their ends. */
  const past: Array<readonly [run: Running, end: number]> = []
  const users = [...new Set(jobs.flatMap(({ user }) => user ?? []))]
  const columnsOf = (runs: ReadonlyArray<readonly [run: Running, end: number]>): RunColumns => ({
    length: runs.length,
    nodes: runs.map(([{ allocation }]) => allocation.nodes.length),
    user: runs.map(([{ job }]) => users.indexOf(jobs[job].user ?? '')),
    started: runs.map(([{ startedAt }]) => startedAt),
    end: runs.map(([, end]) => end),
  })
  const inOrder = (all: ReadonlyArray<number>): Array<number> => {
    const rows = [...all].sort((a, b) => a - b)
    const scores = new Float64Array(rows.length)
    const isFixed = order?.ordering.claims.fixed === true
    order?.ordering.score(
      {
        now: isFixed ? 0 : now,
        waiting: {
          length: rows.length,
          id: rows.map((job) => jobs[job].id),
          size: rows.map((job) => jobs[job].size),
          estimate: rows.map(estimate),
          submitted: rows.map((job) => jobs[job].submit),
          user: rows.map((job) => users.indexOf(jobs[job].user ?? '')),
          turn: rows.map((job) => jobs[job].turn ?? NaN),
        },
        running: columnsOf(isFixed ? [] : running.map((one) => [one, one.allocation.estimatedEnd])),
        ended: columnsOf(order.ordering.claims.history === true ? past : []),
        users,
      },
      scores,
    )
    return rows
      .map((job, row) => ({ job, score: scores[row] }))
      .sort((a, b) => (a.score < b.score ? -1 : a.score > b.score ? 1 : a.job - b.job))
      .map(({ job }) => job)
  }
  const kill = (one: Running, code: 'estimate' | 'reservation' | 'node-down' | 'cancel', because: number): void => {
    const { id } = jobs[one.job]
    const seq = recorder.record({ type: 'kill', t: now, job: id, code, cause: because })
    if (code === 'estimate' || code === 'reservation') cause = seq
    totals.killed++
    recorder.record({ type: 'release', t: now, job: id, cause: seq })
    running = running.filter((other) => other !== one)
    past.push([one, now])
    inVain.clear()
    if (code === 'estimate' || code === 'cancel' || !requeue) return
    recorder.record({ type: 'requeue', t: now, job: id, cause: seq })
    waiting = inOrder([...waiting, one.job])
  }
  const requestOf = (job: number, purpose: Request['purpose']): Request => {
    const { id, size, submit: submitted, bandwidth, communication } = jobs[job]
    return { purpose, job: id, nodes: size, now, submitted, estimate: estimate(job), bandwidth, communication }
  }
  const ask = (job: number, state: ClusterState<any>, purpose: Request['purpose']): Placement | Refusal => {
    const outcome = plain(placer.place(state, requestOf(job, purpose), state.index))
    if (!outcome.ok && outcome.code === 'search-bound') searchBounds++
    return outcome
  }
  const allocationOf = (job: number, placement: Placement): Allocation => ({
    job: jobs[job].id,
    nodes: placement.nodes,
    links: placement.links,
    communicates: jobs[job].communication !== undefined,
    estimatedEnd: now + estimateOn(job, placement),
    startOrder: allocated,
    ...(placement.bandwidth === undefined ? {} : { bandwidth: placement.bandwidth }),
  })
  const start = (job: number, placement: Placement, backfill: number, isBackfill = false): void => {
    const runTime = runTimeOn(job, placement)
    const expected = estimateOn(job, placement)
    const passed = isBackfill ? waiting.slice(0, waiting.indexOf(job)) : []
    waiting = waiting.filter((other) => other !== job)
    if (reserved?.job === job) reserved = undefined
    const allocation = allocationOf(job, placement)
    totals.started++
    allocated++
    const { note, ...grant } = placement
    const seq = recorder.record({
      type: 'allocate',
      t: now,
      job: jobs[job].id,
      ...(refusals && note !== undefined ? placement : grant),
      backfill: backfill === -1 ? undefined : backfill,
      cause,
      estimate: expected === estimate(job) ? undefined : expected,
    })
    const isKilled = overrun === 'kill' && runTime > expected
    running.push({
      job,
      realEnd: now + (isKilled ? expected : runTime),
      isKilled,
      seq,
      passed,
      startedAt: now,
      allocation,
    })
  }
  const say = (job: number, refusal: Refusal): void => {
    const constraint = constraintOf(refusal)
    const nearest =
      refusal.code === 'too-few-nodes'
        ? { have: refusal.free, need: jobs[job].size }
        : refusal.code === 'no-placement'
          ? refusal.nearest
          : undefined
    if (!refusals || reasons.get(job) === `${refusal.code} ${constraint}`) return
    reasons.set(job, `${refusal.code} ${constraint}`)
    recorder.record({ type: 'refuse', t: now, job: jobs[job].id, code: refusal.code, constraint, nearest, cause })
  }
  /** Returns the running jobs that are expected to still run at `time`. */
  const stillRunning = (time: number): Array<Running> =>
    running.filter(({ allocation }) => allocation.estimatedEnd > time)
  const earliest = (job: number, before: number): { start: number; placement: Placement } | undefined => {
    const ends = [...new Set(running.map(({ allocation }) => allocation.estimatedEnd))]
      .filter((end) => end < before)
      .sort((a, b) => a - b)
    for (const end of ends) {
      const outcome = ask(job, stateOf(stillRunning(end)), 'reserve')
      if (outcome.ok) return { start: end, placement: outcome }
    }
    return undefined
  }
  const moveTo = (held: HeadReservation, placement: Placement): void => {
    const where = ({ nodes, links }: Placement): string =>
      JSON.stringify([Array.from(nodes), links.map((ids) => Array.from(ids))])
    if (where(placement) === where(held.placement)) return
    const { id } = jobs[held.job]
    recorder.record({ type: 'unreserve', t: now, job: id, for: held.seq, cause })
    reserved = {
      ...held,
      placement,
      seq: recorder.record({ type: 'reserve', t: now, job: id, start: held.start, ...placement, cause }),
    }
  }
  const replan = (held: HeadReservation): void => {
    const outcome = ask(held.job, stateOf(stillRunning(held.start)), 'reserve')
    if (outcome.ok) moveTo(held, outcome)
  }
  const updateReservation = (head: number): void => {
    let found: ReturnType<typeof earliest>
    if (reserved !== undefined) {
      found = earliest(head, reserved.start)
      const upState = stateOf([])
      const kept = kills
        ? upState.isFree(reserved.placement)
        : reserved.start > now && canApply(stateOf(stillRunning(reserved.start)), reserved.placement)
      if (kept && found === undefined) {
        if (isReplanned) replan(reserved)
        return
      }
      recorder.record({ type: 'unreserve', t: now, job: jobs[head].id, for: reserved.seq, cause })
    }
    found ??= earliest(head, Infinity)
    reserved = found && {
      ...found,
      job: head,
      seq: recorder.record({
        type: 'reserve',
        t: now,
        job: jobs[head].id,
        start: found.start,
        ...found.placement,
        cause,
      }),
    }
  }
  /** Tests whether a job holds nodes, links or scarce bandwidth that the placement needs. */
  const holdsNeeded = ({ allocation }: Running, { nodes, links, bandwidth }: Placement): boolean => {
    const shared = {
      nodes: Array.from(nodes).filter((node) => Array.from(allocation.nodes).includes(node)),
      links: links.map((ids, level) =>
        Array.from(ids).filter((id) => Array.from(allocation.links[level] ?? []).includes(id)),
      ),
    }
    return !stateOf(running).isFree(shared, bandwidth)
  }
  /** Returns the running jobs to kill for the head's reservation; none if the head could not start after the kills. */
  const inTheWay = (): Array<Running> => {
    if (!kills || reserved === undefined || reserved.job !== waiting[0] || reserved.start > now) return []
    const { placement } = reserved
    const takes = (one: Running): boolean => holdsNeeded(one, placement)
    const victims = running
      .filter((one) => one.passed.includes(waiting[0]) && takes(one))
      .sort((a, b) => b.allocation.startOrder - a.allocation.startOrder)
    return canApply(stateOf(running.filter((one) => !victims.includes(one))), placement) ? victims : []
  }
  /**
   * Returns the state beside the reservation. A shared link must have enough bandwidth left now and at the shadow time.
   */
  const stateWithReservation = ({ start, placement }: HeadReservation): ClusterState<any> => {
    if (placement.bandwidth === undefined) return stateOf(running, [placement])
    const state = stateOf(running)
    state.withholdReservation(placement, placement.bandwidth, stateOf(stillRunning(start)))
    return state
  }
  /**
   * Tests whether the head can be placed at its shadow time beside the job. The reservation moves only if the job takes
   * reserved nodes or links, or if a rule keeps links apart.
   */
  const makesWay = (job: number, placement: Placement): boolean => {
    const { start, placement: before } = reserved!
    const state = stateOf(stillRunning(start))
    state.apply(allocationOf(job, placement))
    if (placer.claims.links !== 'rule' && canApply(state, before)) return true
    const outcome = ask(reserved!.job, state, 'reserve')
    if (!outcome.ok) return false
    moveTo(reserved!, outcome)
    return true
  }
  /** Returns the refusal of a job behind the head. If only the reservation is in the way, the refusal names it. */
  const refusalBehindHead = (job: number): Refusal => {
    const bare = ask(job, stateOf(running), 'start')
    if (!bare.ok) return bare
    const nearest = { start: reserved!.start / 1000, end: (now + estimateOn(job, bare)) / 1000 }
    return { ok: false, code: 'no-placement', constraint: `reservation of job ${jobs[reserved!.job].id}`, nearest }
  }
  const subsets = (of: ReadonlyArray<Running>, size: number): ReadonlyArray<ReadonlyArray<Running>> =>
    size === 0 ? [[]] : of.flatMap((last, at) => subsets(of.slice(0, at), size - 1).map((others) => [...others, last]))
  /** Tests whether the head keeps a placement at its shadow time beside the jobs `after`; says where. */
  const keepsHead = (job: number, after: ReadonlyArray<Running>): { readonly to: Placement } | undefined => {
    if (reserved === undefined) return { to: { ok: true, nodes: [], links: [] } }
    const { start, placement } = reserved
    const state = stateOf(after.filter(({ allocation }) => allocation.estimatedEnd > start))
    if (canApply(state, placement)) return { to: placement }
    const outcome = isMovable && jobs[job].size >= moveMinNodes ? ask(reserved.job, state, 'reserve') : undefined
    return outcome?.ok === true ? { to: outcome } : undefined
  }
  /** Starts a job if some running jobs can make way for it on other nodes. */
  const startByMoves = (job: number, isHead: boolean): void => {
    const { size } = jobs[job]
    if (migrate === undefined || inVain.has(size) || size > stateOf(running).freeNodes) return
    const shadow = isHead ? 0 : (reserved?.start ?? 0)
    const latest = Math.max(now + Math.max(migrate.cost, 1000), shadow)
    const candidates = running
      .map((one) => ({ ...one, nodes: one.allocation.nodes.length, end: one.allocation.estimatedEnd }))
      .filter(({ end }) => end > latest)
      .sort((a, b) => a.nodes - b.nodes || b.end - a.end || a.allocation.startOrder - b.allocation.startOrder)
    const place = (which: number, state: ClusterState<any>, expected: number): Placement | Refusal =>
      plain(placer.place(state, { ...requestOf(which, 'start'), estimate: expected }, state.index))
    const where = ({ nodes, links }: Resources): string =>
      JSON.stringify([Array.from(nodes), links.map((ids) => Array.from(ids)).filter((ids) => ids.length > 0)])
    for (let members = 1; members <= migrate.limit; members++)
      for (const set of subsets(candidates, members).slice(0, 64)) {
        const left = running.filter((one) => !set.some((other) => other.job === one.job))
        const placement = place(job, stateOf(left), estimate(job))
        if (!placement.ok) continue
        const blank = { job, realEnd: 0, isKilled: false, seq: 0, passed: [], startedAt: now }
        const after: Array<Running> = [...left, { ...blank, allocation: allocationOf(job, placement) }]
        const moved: Array<readonly [Running, Placement]> = []
        for (const one of set.toReversed()) {
          const expected = one.allocation.estimatedEnd - now + migrate.cost
          const other = place(one.job, stateOf(after), expected)
          if (!other.ok || where(other) === where(one.allocation)) break
          const allocation = { ...allocationOf(one.job, other), estimatedEnd: now + expected }
          const { realEnd, isKilled, passed } = one
          const again = { job: one.job, realEnd: realEnd + migrate.cost, isKilled, passed, startedAt: now, seq: 0 }
          after.push({ ...again, allocation })
          moved.push([after.at(-1)!, other])
        }
        const way = moved.length < set.length ? undefined : isHead ? { to: undefined } : keepsHead(job, after)
        if (way === undefined) continue
        const releases = new Map<number, number>()
        for (const { job: one } of moved.map(([each]) => each)) {
          const event = { type: 'release', t: now, job: jobs[one].id, for: jobs[job].id, cause } as const
          releases.set(one, recorder.record(event))
          past.push([running.find((each) => each.job === one)!, now])
        }
        running = left
        inVain.clear()
        if (reserved !== undefined && way.to !== undefined) moveTo(reserved, way.to)
        start(job, placement, isHead ? -1 : (reserved?.seq ?? -1), !isHead)
        for (const [one, { note, ...grant }] of moved) {
          const expected = one.allocation.estimatedEnd - now
          const seq = recorder.record({
            type: 'allocate',
            t: now,
            job: jobs[one.job].id,
            ...grant,
            note: refusals ? note : undefined,
            estimate: expected === estimate(one.job) ? undefined : expected,
            moved: releases.get(one.job)!,
            cause,
          })
          running.push({ ...one, seq, allocation: { ...one.allocation, startOrder: allocated++ } })
        }
        isPassOver = true
        return
      }
    inVain.add(size)
  }
  const startFromHead = (first: number | undefined = waiting[0]): void => {
    for (let head = first; head !== undefined; head = waiting[0]) {
      const outcome = ask(head, stateOf(running), 'start')
      if (outcome.ok) start(head, outcome, -1)
      else {
        say(head, outcome)
        if (reserved?.job !== head || reserved.start > now || !canApply(stateOf(running), reserved.placement))
          return startByMoves(head, true)
        start(head, reserved.placement, -1)
      }
    }
  }
  const backfillByCount = ({ window, passing }: Extract<QueueDiscipline, { backfill: 'counting' }>): void => {
    const size = jobs[waiting[0]].size
    const ends = running.map(({ allocation: { estimatedEnd, nodes } }) => ({
      time: Math.max(estimatedEnd, now + 1000),
      nodes: nodes.length,
    }))
    const freeBefore = stateOf(running).freeNodes
    const freeAt = (time: number): number =>
      freeBefore + ends.filter((end) => end.time <= time).reduce((sum, end) => sum + end.nodes, 0)
    const times = [now, ...ends.map(({ time }) => time).sort((a, b) => a - b)]
    const shadow = times.find((time) => freeAt(time) >= size) ?? times.at(-1)!
    let spare = freeAt(shadow) - size
    const inTime = (expected: number): boolean => now + expected <= shadow && (passing === undefined || shadow > now)
    const varies = runTimes !== undefined && estimates === 'exact'
    for (const job of waiting.slice(1, 1 + window)) {
      const isSpare = passing === undefined && jobs[job].size <= spare
      const isAsked = varies || isSpare || inTime(estimate(job))
      const outcome = isAsked ? ask(job, stateOf(running), 'start') : undefined
      if (outcome?.ok === false) say(job, outcome)
      const endsBefore = outcome?.ok === true && inTime(estimateOn(job, outcome))
      if (outcome?.ok === true && (endsBefore || isSpare)) {
        start(job, outcome, -1)
        if (!endsBefore) spare -= jobs[job].size
      } else if (passing === 'in-order') return
    }
  }
  const pass = (): void => {
    for (const one of running) {
      if (one.allocation.estimatedEnd <= now) one.allocation = { ...one.allocation, estimatedEnd: now + 1000 }
    }
    waiting = inOrder([...waiting, ...held.filter((job) => jobs[job].eligible! <= now)])
    held = held.filter((job) => jobs[job].eligible! > now)
    startFromHead()
    const leave = (): void => {
      if (reserved === undefined || reserved.job === waiting[0]) return
      recorder.record({ type: 'unreserve', t: now, job: jobs[reserved.job].id, for: reserved.seq, cause })
      reserved = undefined
    }
    leave()
    const victims = inTheWay()
    const head = waiting[0]
    for (const victim of victims)
      if (holdsNeeded(victim, reserved!.placement)) kill(victim, 'reservation', reserved!.seq)
    if (victims.length > 0) {
      startFromHead(head)
      leave()
    }
    if (waiting.length === 0 || queue.backfill === 'none' || isPassOver) return
    if (queue.backfill === 'unreserved') {
      for (const job of waiting.slice(1, 1 + queue.window)) {
        const outcome = ask(job, stateOf(running), 'start')
        if (outcome.ok) start(job, outcome, -1)
        else {
          say(job, outcome)
          startByMoves(job, false)
          if (isPassOver) return
        }
      }
      return
    }
    if (queue.backfill === 'counting') return backfillByCount(queue)
    updateReservation(waiting[0])
    for (const job of inTurn(waiting.slice(1, 1 + queue.window))) {
      let outcome: Placement | Refusal | undefined
      const shadow = reserved?.start ?? Infinity
      const bare = ask(job, stateOf(running), 'start')
      if (now + (bare.ok ? estimateOn(job, bare) : estimate(job)) <= shadow) outcome = bare
      else if (isMovable && jobs[job].size >= moveMinNodes && bare.ok && makesWay(job, bare)) outcome = bare
      if (outcome?.ok !== true && reserved !== undefined) {
        const left = ask(job, stateWithReservation(reserved), 'backfill')
        if (outcome === undefined || left.ok) outcome = left
      }
      if (outcome!.ok) start(job, outcome!, reserved?.seq ?? -1, true)
      else {
        if (refusals) say(job, refusalBehindHead(job))
        startByMoves(job, false)
        if (isPassOver) return
      }
    }
  }

  for (;;) {
    const wake = kills && reserved !== undefined && reserved.start > now ? reserved.start : Infinity
    const again = running.some(({ realEnd }) => realEnd === now)
    const isPending = (job: number): boolean =>
      [...waiting, ...held].includes(job) || running.some((one) => one.job === job)
    const cancellation = cancellations.find(
      ({ time, job }) => time > jobs[job].submit && (job >= totals.submitted || isPending(job)),
    )
    const next = Math.min(
      cancellation?.time ?? Infinity,
      ...running.map(({ realEnd }) => realEnd),
      jobs[totals.submitted]?.submit ?? Infinity,
      outages[broken]?.time ?? Infinity,
      wake,
    )
    if (next === Infinity) break
    if (!again) cause = reserved?.seq ?? 0
    now = next
    for (const { job, seq, isKilled } of running
      .filter(({ realEnd }) => realEnd === now)
      .sort((a, b) => a.job - b.job)) {
      if (isKilled) {
        kill(
          running.find((one) => one.job === job)!,
          'estimate',
          seq,
        )
        continue
      }
      totals.finished++
      cause = recorder.record({ type: 'finish', t: now, job: jobs[job].id, cause: seq })
      recorder.record({ type: 'release', t: now, job: jobs[job].id, cause })
      past.push([running.find((other) => other.job === job)!, now])
      running = running.filter((other) => other.job !== job)
      inVain.clear()
    }
    while (outages[broken]?.time === now) {
      const { change, resources } = outages[broken++]
      cause =
        change === 'down'
          ? recorder.record({ type: 'down', t: now, ...resources })
          : recorder.record({ type: 'up', t: now, ...resources })
      down = change === 'down' ? [...down, resources] : down.filter((other) => other !== resources)
      if (change === 'up') continue
      const nodes = Array.from(resources.nodes)
      const hit = running.filter(({ allocation }) => Array.from(allocation.nodes).some((node) => nodes.includes(node)))
      for (const one of hit.sort((a, b) => a.job - b.job)) kill(one, 'node-down', cause)
    }
    for (const { time, job } of cancellations) {
      if (time !== now || time <= jobs[job].submit || !isPending(job)) continue
      cause = recorder.record({ type: 'cancel', t: now, job: jobs[job].id })
      const one = running.find((other) => other.job === job)
      if (one !== undefined) kill(one, 'cancel', cause)
      else {
        waiting = waiting.filter((other) => other !== job)
        held = held.filter((other) => other !== job)
        totals.cancelled++
      }
    }
    while (jobs[totals.submitted]?.submit === now) {
      const job = totals.submitted++
      const { id, submit: _submit, runTime: _runTime, smallerThanNode, walltime, ...labels } = jobs[job]
      cause = recorder.record({
        type: 'submit',
        t: now,
        job: id,
        ...labels,
        estimate: estimate(job),
        smaller_than_node: smallerThanNode,
        ...(walltime !== undefined && walltime !== estimate(job) && { walltime }),
      })
      const outcome = ask(job, healthy(), 'start')
      if (outcome.ok && (jobs[job].eligible ?? 0) > now) held.push(job)
      else if (outcome.ok) waiting = inOrder([...waiting, job])
      else {
        totals.rejected++
        rejected.push({ job, code: outcome.code })
        recorder.record({
          type: 'reject',
          t: now,
          job: jobs[job].id,
          code: outcome.code,
          constraint: constraintOf(outcome),
          cause,
        })
      }
    }
    do {
      isPassOver = false
      pass()
    } while (isPassOver)
  }
  recorder.record({ type: 'end', t: now, ...totals })
  return { totals, searchBounds, notPlaced: { rejected, waiting } }
}

function constraintOf(refusal: Refusal): string {
  if (refusal.code === 'too-few-nodes') return 'free nodes'
  return refusal.code === 'search-bound' ? `${refusal.steps} steps` : refusal.constraint
}

/** Returns an answer with ids in place of masks. */
function plain(outcome: Outcome): Outcome {
  return outcome.ok ? withIds({ ...outcome }) : outcome
}
