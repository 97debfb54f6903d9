/** Machine of the fuzzer: topology specification (`slurm:NAME` is a file of `machineFiles`), and number of nodes. */
export interface FuzzMachine {
  readonly topology: string
  readonly nodes: number
}

/** Small machines, which random jobs fill: regular, tapered, with parallel cables, of one to four levels, uneven. */
const small = machines({
  'radix:4': 16,
  'radix:6': 54,
  'radix:8': 128,
  'pgft:1;8;1;1': 8,
  'pgft:2;4,4;1,4;1,1': 16,
  'kary:2:4': 16,
  'pgft:3;4,3,3;1,2,2;1,1,1': 36,
  'pgft:3;4,4,3;1,4,2;1,1,2': 48,
  'slurm:uneven.conf': 11,
})

/** Machines whose masks of a leaf's nodes, of a pod's leaves, of the pods or of all nodes need several 32-bit words. */
const wide = machines({
  'pgft:2;40,3;1,40;1,1': 120,
  'pgft:2;70,2;1,70;1,1': 140,
  'pgft:3;2,40,2;1,2,40;1,1,1': 160,
  'pgft:3;2,2,70;1,2,2;1,1,1': 280,
  'radix:14': 686,
  'slurm:wide.conf': 176,
})

/** Machines from which the fuzzer draws. Each small machine is drawn twice as often as each wide machine. */
export const fuzzMachines: ReadonlyArray<FuzzMachine> = [...small, ...small, ...wide]

function machines(nodes: Readonly<Record<string, number>>): ReadonlyArray<FuzzMachine> {
  return Object.entries(nodes).map(([topology, count]) => ({ topology, nodes: count }))
}

/** Contents of the topology.conf files of Slurm for the fuzzer, by file name. */
export const machineFiles: Readonly<Record<string, string>> = {
  'uneven.conf': `SwitchName=a Nodes=n[0-3]
SwitchName=b Nodes=n[4-5]
SwitchName=c Nodes=n[6-10]
SwitchName=ab Switches=a,b
SwitchName=top Switches=ab,c
`,
  'wide.conf': `SwitchName=a Nodes=n[0-69]
SwitchName=b Nodes=n[70-102]
SwitchName=c Nodes=n[103-142]
SwitchName=d Nodes=n[143-175]
SwitchName=ab Switches=a,b
SwitchName=cd Switches=c,d
SwitchName=top Switches=ab,cd
`,
}
