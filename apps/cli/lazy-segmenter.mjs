// An esbuild plugin. Effect uses a text segmenter to lay out help, and creates the segmenter at every start. This takes
// longer than all other steps of the start of a command.
import { readFileSync } from 'node:fs'

const eager = /const graphemeSegmenter = (\/\*#__PURE__\*\/\s*new Intl\.Segmenter\([^)]*\));/

/** Plugin that delays the segmenter until the first help. The build fails if Effect's source has no such segmenter. */
export const lazySegmenter = {
  name: 'lazy-segmenter',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]effect[\\/]dist[\\/]cli[\\/]CliOutput\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!eager.test(source)) throw new Error(`${path} makes no segmenter at its start: lazy-segmenter.mjs can go`)
      const contents = source
        .replace(eager, 'let segmenter; const graphemeSegmenter = () => (segmenter ??= $1);')
        .replaceAll('graphemeSegmenter.segment(', 'graphemeSegmenter().segment(')
      return { contents, loader: 'js' }
    })
  },
}
