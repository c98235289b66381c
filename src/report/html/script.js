// The only script of a page. It shows the filter and makes it work. The page is readable without the script.
{
  const filter = document.querySelector('#filter')
  const boxes = [...filter.querySelectorAll('input[type=checkbox]')]
  const words = document.querySelector('#filter-text')
  const status = document.querySelector('#filter-status')
  const unfold = document.querySelector('#unfold')
  // Specs are in areas, Cores in groups of a table.
  const groups = [...document.querySelectorAll('.area, .matrix tbody')]
  const items = [...document.querySelectorAll('[data-outcome]')].map(element => ({
    element,
    text: (
      element.dataset.words ??
      `${element.querySelector('summary').textContent} ${element.querySelector('.about').textContent}`
    ).toLowerCase(),
  }))

  const folded = () => items.filter(({ element }) => !element.hidden && !element.open)

  /** Labels the button with its next action, also after a click or a link unfolded a spec. */
  const label = () => {
    if (unfold) unfold.textContent = folded().length > 0 ? 'Unfold all' : 'Fold all'
  }

  const apply = () => {
    const outcomes = new Set(boxes.filter(({ checked }) => checked).map(({ value }) => value))
    const parts = words.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    for (const { element, text } of items) {
      element.hidden = !outcomes.has(element.dataset.outcome) || !parts.every(part => text.includes(part))
      if (!element.hidden) shown++
    }
    for (const group of groups)
      group.hidden = group.querySelector('[data-outcome]') && !group.querySelector('[data-outcome]:not([hidden])')
    const all = `${items.length} ${items.length === 1 ? filter.dataset.of.slice(0, -1) : filter.dataset.of}`
    status.textContent = shown === items.length ? all : `${shown} of ${all}`
    label()
  }

  /** Shows the target of a link, even if the filter hides it. */
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1))
    const spec = target?.closest('details.spec')
    const place = spec ?? target?.closest('.area')
    if (!place) return
    if (place.hidden) {
      for (const box of boxes) box.checked = true
      words.value = ''
      apply()
    }
    const exchange = target.closest('.exchange')
    if (exchange) exchange.open = true
    if (spec) {
      spec.open = true
      spec.querySelector('summary').focus({ preventScroll: true })
    }
    ;(exchange ?? place).scrollIntoView()
  }

  filter.hidden = false
  filter.addEventListener('input', apply)
  unfold?.addEventListener('click', () => {
    const closed = folded()
    for (const { element } of items) if (!element.hidden) element.open = closed.length > 0
    label()
  })
  // A thousand specs that unfold at once send a thousand events: handle them once a frame. The event does not bubble.
  let frame = 0
  const toggled = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(label)
  }
  document.querySelector('main').addEventListener('toggle', toggled, true)
  addEventListener('hashchange', reveal)
  // A link to the current hash sends no hashchange, but the filter may have hidden its target since.
  addEventListener('click', ({ target }) => {
    if (target.closest?.('a[href^="#"]')?.hash === location.hash) reveal()
  })
  apply()
  reveal()
}
