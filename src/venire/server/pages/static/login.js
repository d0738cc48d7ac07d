// An invitation carries its secret behind the #, which browsers never send; it is put into the form and forgotten.
"use strict";

const secret = decodeURIComponent(window.location.hash.slice(1));
if (secret) {
  window.history.replaceState(null, "", window.location.pathname);
  document.getElementById("secret").value = secret;
  document.getElementById("login").requestSubmit();
}
