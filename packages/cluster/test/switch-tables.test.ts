import { expect, test } from 'vitest'
import { parseSwitchTables } from '../src/drive/fabric-tables.ts'

test("parseSwitchTables takes the GUID of a node's port, even if the node's description contains another GUID", () => {
  const guid = (id: number): string => `0x${String(id).padStart(16, '0')}`
  const dump = `Unicast lids [0x0-0x10] of switch Lid 0 guid ${guid(1)} (s):
0x0001 003 : (Channel Adapter portguid ${guid(7)}: 'node0 portguid ${guid(9)}')
0x0002 004 : (Channel Adapter portguid ${guid(8)}: 'node1')
0x0003 000 : (Switch portguid ${guid(1)}: 's')
0x0004 255 : (path not there)
`
  const { entries } = parseSwitchTables(dump).get(guid(1))!
  expect([...entries].map(([key, { port }]) => [key, port])).toEqual([
    [guid(7), 3],
    [guid(8), 4],
    [guid(1), 0],
    ['0x0004', 255],
  ])
})
