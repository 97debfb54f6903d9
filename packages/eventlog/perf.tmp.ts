import { LoggedTables, RoutedPaths } from './src/index.ts'
import { openSeekableLog, seekInLog } from './src/node/index.ts'
seekInLog(
  '/tmp/router-view/thunder.ndjson',
  (log: any) => {
    for (const f of [0.2, 0.4, 0.6, 0.8, 0.9]) {
      const seq = Math.floor(log.index.records * f)
      let a = performance.now()
      const state = log.stateAt(seq)
      const t = state.t
      if (state.running.size === 0) continue
      let b = performance.now()
      const tables = new LoggedTables(state.topology, state.routes.values())
      let c = performance.now()
      const largest = [...state.running.values()].sort((x: any, y: any) => y.nodes.length - x.nodes.length)[0] as any
      const paths = new RoutedPaths(state.topology, tables)
      let d = performance.now()
      const job = paths.ofJob(largest.nodes)
      let e = performance.now()
      for (const [level, { switches }] of state.topology.levels.entries())
        for (let sw = 0; sw < switches; sw++) tables.row(level, sw)
      let g = performance.now()
      console.log({
        t,
        state: b - a,
        running: state.running.size,
        routes: state.routes.size,
        tables: c - b,
        paths: d - c,
        job: e - d,
        nodes: largest.nodes.length,
        links: job.links.length,
        lost: job.lost,
        worst: job.links[0],
        allrows: g - e,
      })
    }
  },
  () => {},
)
