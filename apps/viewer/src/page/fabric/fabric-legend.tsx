import type { JSX } from 'preact'
import { css, scaleColor } from '../drawing/colors.ts'
import { colorBy, differences } from '../state/view-state.ts'

/** Legend of all shown fabrics. @param shows `pods`: every pod is drawn as a whole; `parts`: every node and cable is drawn */
export function FabricLegend({
  shows,
  capacity,
  rails,
  isAtFault,
}: {
  readonly shows: 'pods' | 'parts'
  /** Bandwidth of a link that jobs share, in MB/s; undefined if jobs share no links. */
  readonly capacity: number | undefined
  /** Number of rails, which are all equal; the picture shows one. */
  readonly rails: number
  /** True if nodes or links of a fault are marked. */
  readonly isAtFault: boolean
}): JSX.Element {
  return (
    <p class="fabric-legend">
      {shows === 'pods' ? (
        <span title="share of held nodes of each leaf, or of each pod if leaves are too small to draw">
          {differences.value ? (
            'left: held nodes in the colours of the differences'
          ) : colorBy.value === 'job' ? (
            <>
              left: held 0 % <i class="ramp" style={{ background: ramp('--free', '--job') }} /> 100 %
            </>
          ) : (
            'left: held nodes in the colours of the jobs; fainter colours mean fewer held nodes'
          )}
        </span>
      ) : (
        <span>
          <i style={{ background: 'var(--free)' }} />
          free
        </span>
      )}
      <span title="free nodes on leaves with a used node or uplink: no request for whole leaves can use the free nodes">
        {shows === 'pods' ? (
          <>
            right: free on partly used leaves 0 %{' '}
            <i class="ramp" style={{ background: ramp('--free', '--partial-leaf-free') }} /> 100 %
          </>
        ) : (
          <>
            <i style={{ background: 'var(--partial-leaf-free-node)' }} />
            free on partly used leaves
          </>
        )}
      </span>
      <span>
        <i class={shows === 'pods' ? '' : 'crossed'} style={{ background: 'var(--down)' }} />
        down
      </span>
      {shows === 'pods' ? null : <span>• reserved</span>}
      {rails > 1 ? (
        <span title="a node has an adapter in each rail; a job that holds a cable holds the cable at the same position of each rail">
          one of {rails} equal rails
        </span>
      ) : null}
      {isAtFault ? (
        <span>
          <i style={{ background: 'var(--conflict)' }} />
          of the fault
        </span>
      ) : null}
      {capacity === undefined || shows === 'pods' ? null : (
        <span>
          links: 0 <i class="ramp" style={{ background: scale }} /> {capacity} MB/s
        </span>
      )}
    </p>
  )
}

const scale = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((share) => css(scaleColor(share))).join()})`

function ramp(from: string, to: string): string {
  return `linear-gradient(90deg, var(${from}), var(${to}))`
}
