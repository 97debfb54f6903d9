import type { ClaimsRef } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { lowerBound } from './job-lists.ts'
import type { Job, JobAllocation } from './jobs.ts'
import { DOWN, ResourceSums, type Summands, summandsOf } from './resource-sums.ts'

/**
 * Owners and failures of nodes and links. A **resource** is a node or a link. Resources have consecutive numbers: first
 * all nodes, then the links of level 0, then of level 1 and so on (`firstResource`).
 */
export class MachineModel {
  readonly topology: Topology
  /** Number of the first node (0), then of the first link of each level, and at last the number of resources. */
  readonly firstResource: ReadonlyArray<number>
  /** Seq of the allocate that owns each resource, or 0; for a link shared up to a cap, the MB/s in use. */
  readonly owners: Uint32Array
  /** Seq of the latest down record of each resource that is down; 0 if the resource is up. */
  readonly downBy: Uint32Array
  downResources = 0
  /** Number of nodes and links that are down and matter to the policy: no links if the policy claims `shared` links. */
  hindering = 0
  downNodes = 0
  /** True from the first down record on that names a node or link that matters to the policy. */
  everHindered = false
  /** Number of resources with at most one owner: all, or only the nodes if the policy claims `capped` links. */
  readonly exclusiveResources: number
  /** Number of nodes and links in all allocations together; a resource counts once for each job that holds it. */
  held = 0
  /** Number of nodes and links in all allocations together, without links shared up to a cap. */
  heldExclusively = 0
  /** Number of nodes that are up and have no owner. */
  freeNodes: number
  /** The sums over all resources that the state digest of a seal covers. */
  readonly sums: ResourceSums = new ResourceSums()

  readonly #mattering: number

  /** @param claim use of links that the policy claims */
  constructor(topology: Topology, claim: ClaimsRef['links']) {
    this.topology = topology
    const firstResource = [0, topology.nodes]
    for (const level of topology.levels) firstResource.push(firstResource[firstResource.length - 1] + level.links)
    this.firstResource = firstResource
    const resources = firstResource[firstResource.length - 1]
    this.freeNodes = topology.nodes
    this.owners = new Uint32Array(resources)
    this.downBy = new Uint32Array(resources)
    this.exclusiveResources = claim === 'capped' ? topology.nodes : resources
    this.#mattering = claim === 'shared' ? topology.nodes : resources
  }

  /** Returns the name of a resource for messages, such as `leaf uplink 3`. */
  nameOf(resource: number): string {
    const { firstResource } = this
    if (resource < firstResource[1]) return `node ${resource}`
    let level = 0
    while (resource >= firstResource[level + 2]) level++
    const id = resource - firstResource[level + 1]
    const link = level === 0 ? `leaf uplink ${id}` : level === 1 ? `L2 uplink ${id}` : `uplink ${id} of level ${level}`
    const { rails } = this.topology
    return rails === undefined ? link : `${link} of the ${rails.count} rails`
  }

  /** Returns true if a resource is a node that no job holds and that is up. */
  isFreeNode(resource: number): boolean {
    return resource < this.topology.nodes && this.owners[resource] === 0 && this.downBy[resource] === 0
  }

  /** Returns the number of nodes of a running job that are up. */
  upNodesOf({ allocation }: Job): number {
    const { nodes, resources } = allocation!
    if (this.downNodes === 0) return nodes
    let up = 0
    for (let i = 0; i < nodes; i++) if (this.downBy[resources[i]] === 0) up++
    return up
  }

  /** Returns the numbers that `own` adds to the sums of seals for an allocation of free resources. */
  protected summandsOf(resources: Int32Array, seq: number, bandwidth: number): Summands {
    return summandsOf(resources, this.#exclusiveOf(resources), seq, bandwidth)
  }

  /** Gives the resources of an allocation to its job, from any earlier owner. */
  protected own({ resources, seq, bandwidth, summands }: JobAllocation): void {
    this.held += resources.length
    this.heldExclusively += this.#exclusiveOf(resources)
    this.sums.add(summands, 1)
    const { owners, exclusiveResources } = this
    const { nodes } = this.topology
    const isAllUp = this.downResources === 0
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i]
      if (isAllUp && owners[resource] === 0 && resource < exclusiveResources) {
        owners[resource] = seq
        if (resource < nodes) this.freeNodes--
        continue
      }
      if (this.isFreeNode(resource)) this.freeNodes--
      if (resource < exclusiveResources) this.#set(resource, seq, seq)
      else this.#set(resource, owners[resource] + bandwidth, bandwidth)
    }
  }

  /** Frees the resources that still belong to an allocation. */
  protected disown({ resources, seq, bandwidth, summands }: JobAllocation): void {
    this.sums.add(summands, -1)
    const { owners, exclusiveResources } = this
    const { nodes } = this.topology
    const isAllUp = this.downResources === 0
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i]
      const owner = owners[resource]
      if (resource >= exclusiveResources) this.#set(resource, owner - bandwidth, -bandwidth)
      else if (owner !== seq) this.#set(resource, owner, -seq)
      else if (isAllUp) {
        owners[resource] = 0
        if (resource < nodes) this.freeNodes++
      } else {
        this.#set(resource, 0, -seq)
        if (this.isFreeNode(resource)) this.freeNodes++
      }
    }
  }

  /**
   * Sets the entry of `owners`, which is a number modulo 2^32.
   *
   * @param summed change of the entry that the sums already have
   */
  #set(resource: number, owner: number, summed: number): void {
    const former = this.owners[resource]
    this.owners[resource] = owner
    const change = this.downBy[resource] === 0 ? owner - former : 0
    if (change !== summed) this.sums.change(resource, summed, change)
  }

  /** Takes the resources of an ended allocation from `held` and `heldExclusively`. */
  protected uncount(resources: Int32Array): void {
    this.held -= resources.length
    this.heldExclusively -= this.#exclusiveOf(resources)
  }

  /** Returns the number of resources below `exclusiveResources` in a list of ascending resources. */
  #exclusiveOf(resources: Int32Array): number {
    if (this.exclusiveResources === this.owners.length) return resources.length
    return lowerBound(resources.length, (at) => resources[at] < this.exclusiveResources)
  }

  protected fail(resources: Iterable<number>, seq: number): void {
    for (const resource of resources) {
      if (resource < this.#mattering) this.everHindered = true
      if (this.downBy[resource] === 0) {
        this.#countDown(resource, 1)
        this.sums.change(resource, this.owners[resource], DOWN)
      }
      if (this.isFreeNode(resource)) this.freeNodes--
      this.downBy[resource] = seq
    }
  }

  #countDown(resource: number, change: 1 | -1): void {
    this.downResources += change
    if (resource < this.topology.nodes) this.downNodes += change
    if (resource < this.#mattering) this.hindering += change
  }

  protected repair(resources: Iterable<number>): void {
    for (const resource of resources) {
      if (this.downBy[resource] === 0) continue
      this.#countDown(resource, -1)
      this.downBy[resource] = 0
      this.sums.change(resource, DOWN, this.owners[resource])
      if (this.isFreeNode(resource)) this.freeNodes++
    }
  }
}
