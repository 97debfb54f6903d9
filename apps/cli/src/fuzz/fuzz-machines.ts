/** A machine of the fuzzer: a topology, or the name of a file below, and its nodes. */
export interface FuzzMachine {
  readonly topology: string
  readonly nodes: number
}

/** Small ones first, so that they are full all the time: regular, tapered, with parallel cables, of one to four levels, uneven. */
const small: ReadonlyArray<FuzzMachine> = [
  { topology: 'radix:4', nodes: 16 },
  { topology: 'radix:6', nodes: 54 },
  { topology: 'radix:8', nodes: 128 },
  { topology: 'pgft:1;8;1;1', nodes: 8 },
  { topology: 'pgft:2;4,4;1,4;1,1', nodes: 16 },
  { topology: 'kary:2:4', nodes: 16 },
  { topology: 'pgft:3;4,3,3;1,2,2;1,1,1', nodes: 36 },
  { topology: 'pgft:3;4,4,3;1,4,2;1,1,2', nodes: 48 },
  { topology: 'slurm:uneven.conf', nodes: 11 },
]

/** Leaves of more nodes than one and two words of a mask hold, more pods, more leaves of a pod, and the nodes of a cluster. */
const wide: ReadonlyArray<FuzzMachine> = [
  { topology: 'pgft:2;40,3;1,40;1,1', nodes: 120 },
  { topology: 'pgft:2;70,2;1,70;1,1', nodes: 140 },
  { topology: 'pgft:3;2,40,2;1,2,40;1,1,1', nodes: 160 },
  { topology: 'pgft:3;2,2,70;1,2,2;1,1,1', nodes: 280 },
  { topology: 'radix:14', nodes: 686 },
  { topology: 'slurm:wide.conf', nodes: 176 },
]

/** Twice as many small ones as wide ones are drawn. */
export const fuzzMachines: ReadonlyArray<FuzzMachine> = [...small, ...small, ...wide]

/** What is in the files. */
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
