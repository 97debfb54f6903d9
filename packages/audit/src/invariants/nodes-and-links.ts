import type { Invariant } from '../invariant.ts'
import type { Allocate, Down, Finish, Kill, LogRecord, Reserve } from '@cloister/eventlog'
import { ownRoutesGap } from '../routes/route-checks.ts'
import { provesConnection } from '../report.ts'
import { TOO_MUCH } from '../effort.ts'
import { FailedCables } from '../cluster/failed-cables.ts'
import type { Job } from '../cluster/jobs.ts'

export const nodeExclusive: Invariant = {
  name: 'node-exclusive',
  property: 'No allocate record names a node that a job holds.',
  begin(model, tally) {
    return {
      allocate(record) {
        tally.tested()
        const nodes = model.named!.nodes
        for (let i = 0; i < nodes.length; i++) {
          if (model.owners[nodes[i]] === 0) continue
          tally.violated(record, `node ${nodes[i]} is allocated, but still belongs to ${model.ownerOf(nodes[i])}`)
          return
        }
      },
    }
  },
}

export const linkExclusive: Invariant = {
  name: 'link-exclusive',
  property: 'No allocate record names a link that a job holds, unless the policy claims `capped` links.',
  begin(model, tally) {
    const { links } = model.header.policy.claims
    if (links === 'capped') return 'the policy shares links up to a cap'
    return {
      allocate(record) {
        // Without a claim of owned links, most allocations name no link; an allocation without links is no test.
        if (links !== 'owned' && record.links === undefined) return
        tally.tested()
        const { resources } = model.named!
        for (let i = model.named!.nodes.length; i < resources.length; i++) {
          if (model.owners[resources[i]] === 0) continue
          tally.violated(
            record,
            `${model.nameOf(resources[i])} is allocated, but still belongs to ${model.ownerOf(resources[i])}`,
          )
          return
        }
      },
    }
  },
}

export const linksConnect: Invariant = {
  name: 'links-connect',
  property:
    "If the policy claims that jobs own their links, every two nodes of an allocation or reservation have a minimal route over the job's own links. No message of a job then needs a link of another job.",
  begin(model, tally) {
    const { topology } = model
    const { links, rule } = model.header.policy.claims
    if (links !== 'owned') return `jobs do not own links (links: ${links})`
    if (provesConnection(rule, topology)) return `the rule ${rule} implies the property`
    const gapOf = ownRoutesGap(topology)
    const check = (record: Allocate | Reserve): void => {
      const { nodes, links: own, malformed, unknown } = model.named!
      if (malformed !== undefined || unknown !== undefined) return
      tally.tested()
      const gap = gapOf(nodes, own)
      if (gap !== undefined) tally.violated(record, gap)
    }
    return { allocate: check, reserve: check }
  },
}

export const linkCapacity: Invariant = {
  name: 'link-capacity',
  property:
    'If the policy claims `capped` links, every allocation with links names its bandwidth on each link, at least the bandwidth that the job wants. The jobs on a link together hold at most the header’s `link_capacity`.',
  begin(model, tally) {
    const { claims, link_capacity: capacity } = model.header.policy
    if (claims.links !== 'capped') return `the policy does not share links up to a cap (links: ${claims.links})`
    if (capacity === undefined) return 'the header has no link_capacity'
    return {
      allocate(record) {
        tally.tested()
        const { resources, nodes } = model.named!
        if (resources.length === nodes.length) return
        if (record.bandwidth === undefined) {
          tally.violated(record, 'the allocate names links, but no bandwidth')
          return
        }
        const wanted = model.job?.bandwidth ?? 0
        if (record.bandwidth < wanted)
          tally.violated(
            record,
            `the allocate has ${record.bandwidth} MB/s on each link, but job ${record.job} wants ${wanted} MB/s`,
          )
        for (let i = nodes.length; i < resources.length; i++) {
          const used = model.owners[resources[i]]
          if (used + record.bandwidth <= capacity) continue
          tally.violated(
            record,
            `job ${record.job} takes ${record.bandwidth} MB/s of ${model.nameOf(resources[i])}, but other jobs hold ${used} of its ${capacity} MB/s`,
          )
          return
        }
      },
    }
  },
}

export const downUnused: Invariant = {
  name: 'down-unused',
  property:
    'No allocate or reserve record names a node or link that is down. After each scheduling pass, no reservation in force names a node or link that is down, unless the next record is a gap. Reservations of an observed scheduler are exempt.',
  begin(model, tally) {
    const isObserved = model.header.origin === 'observed'
    const firstDown = (resources: Int32Array): number | undefined =>
      resources.find((resource) => model.downBy[resource] !== 0)
    const check = (record: Allocate | Reserve): void => {
      if (model.downResources === 0) return
      tally.tested()
      const resource = firstDown(model.named!.resources)
      if (resource !== undefined)
        tally.violated(
          record,
          `the ${record.type} names ${model.nameOf(resource)}, which is down since record ${model.downBy[resource]}`,
        )
    }
    return {
      allocate: check,
      reserve(record) {
        if (!isObserved) check(record)
      },
      afterPass(record) {
        if (!model.isPassOver || model.isPassCut || model.downResources === 0 || isObserved || record.type === 'gap')
          return
        for (const { seq, job, resources } of model.reservations.values()) {
          tally.tested()
          if (!model.effort.allows(1 + resources.length)) return tally.violated(record, TOO_MUCH)
          const resource = firstDown(resources)
          if (resource !== undefined)
            tally.violated(
              record,
              `the reservation of job ${job.id} (record ${seq}) still names ${model.nameOf(resource)}, which is down since record ${model.downBy[resource]}`,
            )
        }
      },
    }
  },
}

export const downUp: Invariant = {
  name: 'down-up',
  property:
    'A down record names only nodes and links that are up, and an up record names only nodes and links that are down. On a machine with rails, a link goes down with the first of its cables that fails, and comes up with the last of its failed cables that comes back.',
  begin(model, tally) {
    const cables = new FailedCables(model)
    const check = (record: Down): void => {
      tally.tested()
      const resource = model.named!.resources.find((each) => (model.downBy[each] === 0) === (record.type === 'up'))
      const ofRails = cables.breachOf(record)
      if (resource === undefined && ofRails !== undefined) tally.violated(record, ofRails)
      if (resource === undefined) return
      tally.violated(
        record,
        record.type === 'up'
          ? `${model.nameOf(resource)} comes up, but is not down`
          : `${model.nameOf(resource)} goes down, but is down already, since record ${model.downBy[resource]}`,
      )
    }
    return { down: check, up: check }
  },
}

export const releaseRestores: Invariant = {
  name: 'release-restores',
  property:
    'A job releases its allocation once: after its finish or kill, or for a move. In a simulation the release comes in the same instant as the finish or kill.',
  begin(model, tally) {
    /** Jobs that ended at the present instant and have not released their allocations yet. */
    const owing = new Set<Job>()
    const ended = (_record: Finish | Kill): void => {
      if (model.job?.state === 'running') owing.add(model.job)
    }
    return {
      finish: ended,
      kill: ended,
      afterPass(record) {
        if (!model.isInstantOver(record) || model.header.origin !== 'simulated') return
        for (const job of owing)
          tally.violated(
            record,
            `job ${job.id} ended at record ${job.endedBy}, but did not release its allocation in the same instant`,
          )
        owing.clear()
      },
      release(record) {
        tally.tested()
        const job = model.job
        if (job?.allocation === undefined) tally.violated(record, `job ${record.job} has no allocation to release`)
        else if (job.state === 'running' && record.for === undefined)
          tally.violated(record, `job ${record.job} releases its allocation, but the job is still running`)
        else owing.delete(job)
      },
    }
  },
}

export const conservation: Invariant = {
  name: 'conservation',
  property:
    'At every seal and at the end, the number of nodes and links with an owner equals the sum of the nodes and links of all allocations. Links shared up to a cap do not count. At the end of a whole simulation no job holds an allocation.',
  begin(model, tally) {
    const resources = model.exclusiveResources
    const check = (record: LogRecord): void => {
      tally.tested()
      let owned = 0
      for (let resource = 0; resource < resources; resource++) if (model.owners[resource] !== 0) owned++
      const held = model.heldExclusively
      if (owned !== held)
        tally.violated(record, `${owned} of ${resources} nodes and links are not free, but jobs hold ${held}`)
    }
    return {
      seal: check,
      end(record) {
        check(record)
        if (!model.endsItself) return
        for (const [seq, job] of model.holders)
          tally.violated(record, `job ${job.id} still holds the allocation of record ${seq} at the end of the log`)
      },
    }
  },
}
