"use strict";
// Draws the charts of the page and moves the slider. Everything that is shown without it stays as it is.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const options = { actions: false, renderer: "svg", ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true } };
  const draw = (figure) => vegaEmbed(figure.querySelector(".chart"), data[figure.id], options).then(({ view }) => view);
  const whole = (value) => Math.round(value).toLocaleString("en");
  const percent = (value) => (value === null ? "-" : (100 * value).toFixed(1) + " %");

  const slide = (figure, view) => {
    const rows = data[figure.id].data.values;
    const last = rows[rows.length - 1];
    const slider = figure.querySelector("input[type=range]");
    const width = figure.querySelector("input[type=number]");
    const show = (name, text) => { figure.querySelector(`[data-show=${name}]`).textContent = text; };
    const move = () => {
      const row = rows[slider.value];
      const value = row.value === null ? "-" : row.value.toFixed(2);
      slider.setAttribute("aria-valuetext", `${whole(row.size)} tokens in the vocabulary, ${value} bytes a token`);
      show("size", whole(row.size));
      show("value", value);
      show("tokens", whole(row.tokens));
      show("more", last.tokens ? `${(100 * (row.tokens / last.tokens - 1)).toFixed(1)} %` : "-");
      show("attention", row.attention === null ? "-" : row.attention.toFixed(2) + " times");
      show("words", percent(row.words));
      show("used", whole(row.used));
      show("ceiling", percent(row.ceiling));
      show("embedding", width.value > 0 ? whole(row.size * width.value) : "-");
      view.signal("size", row.size).signal("value", row.value).run();
    };
    slider.addEventListener("input", move);
    width.addEventListener("input", move);
    move();
  };

  document.querySelectorAll("figure.drawn").forEach((figure) => {
    draw(figure).then((view) => { if (figure.querySelector("input[type=range]")) slide(figure, view); });
  });
  const printed = () => document.querySelectorAll("details[data-print]").forEach((details) => { details.open = true; });
  window.addEventListener("beforeprint", printed);
})();
