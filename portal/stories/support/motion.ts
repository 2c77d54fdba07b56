import type { BrowserContext } from 'playwright-core'

/** Anything longer than a display frame counts as motion. */
const frame_ms = 17

/** Reports every animation or transition longer than a frame, from CSS or script, as a console error. */
export async function reportMotion(context: BrowserContext): Promise<void> {
  await context.addInitScript(watch, frame_ms)
}

/** Runs in the page before its scripts. */
function watch(longest_ms: number): void {
  const report = (what: string, { duration = 0, iterations = 1, delay = 0 }: EffectTiming) => {
    const ms = (typeof duration === 'number' ? duration : 0) * iterations + delay
    if (ms > longest_ms) console.error(`Motion of ${ms} ms: ${what}`)
  }
  const onBegin = ({ target }: Event) => {
    if (!(target instanceof Element)) return
    for (const animation of target.getAnimations({ subtree: true }))
      report(target.outerHTML.slice(0, 200), animation.effect?.getTiming() ?? {})
  }
  for (const begin of ['animationstart', 'transitionrun']) document.addEventListener(begin, onBegin, true)
  const { animate } = Element.prototype
  Element.prototype.animate = function (frames, options) {
    report(this.outerHTML.slice(0, 200), typeof options === 'number' ? { duration: options } : (options ?? {}))
    return animate.call(this, frames, options)
  }
}
